import type { OutputSchema } from '../../../../gateway/providers/provider.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import { CHAR_SET, type Fields, type FieldSpec } from '../../../language/operators/fields.ts'
import { findPattern, PATTERNS } from '../../../language/operators/patterns.ts'
import { findPosition, POSITIONS } from '../../../language/operators/positions.ts'
import { findOperator, OPERATORS } from '../../../language/operators/table.ts'
import { LANGUAGES } from '../../../language/versions.ts'

const EXPR: JsonObject = { $ref: '#/$defs/Expr' }
const TEXT: JsonObject = { type: 'string' }
const INTEGER: JsonObject = { type: 'integer' }

function fieldSchema(spec: FieldSpec): JsonObject {
  switch (spec.kind) {
    case 'expr':
      return EXPR
    case 'exprs':
      return { type: 'array', items: EXPR }
    case 'pos':
      return { $ref: '#/$defs/Pos' }
    case 'pattern':
      return { $ref: '#/$defs/Pattern' }
    case 'charSet':
      return { $ref: '#/$defs/CharSet' }
    case 'integer':
      return INTEGER
    case 'choice':
      return { type: 'string', enum: spec.values }
    case 'flag':
      return { type: 'boolean' }
    case 'json':
      return { $ref: '#/$defs/Value' }
    case 'scalar':
      return { $ref: '#/$defs/Scalar' }
    case 'strings':
      return { type: 'array', items: spec.values === undefined ? TEXT : { type: 'string', enum: spec.values } }
    case 'steps':
      return { type: 'array', items: { anyOf: [TEXT, INTEGER] } }
    case 'records':
      return { type: 'array', items: objectSchema(spec.fields, {}) }
    case 'string':
    case 'name':
    case 'regex':
    case 'datePattern':
      return TEXT
  }
}

/** Strict modes know no optional members: one that may be left out may be null instead. */
function memberSchema(spec: FieldSpec): JsonObject {
  const schema = fieldSchema(spec)
  return spec.optional === true ? { anyOf: [schema, { type: 'null' }] } : schema
}

function objectSchema(fields: Fields, tag: JsonObject): JsonObject {
  const members = Object.entries(fields).map(([name, spec]) => [name, memberSchema(spec)] as const)
  const properties: JsonObject = { ...tag, ...Object.fromEntries(members) }
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

function unionSchema(table: Readonly<Record<string, { readonly fields: Fields }>>, tagName: string): JsonObject {
  return {
    anyOf: Object.entries(table).map(([tag, { fields }]) =>
      objectSchema(fields, { [tagName]: { type: 'string', enum: [tag] } }),
    ),
  }
}

const SCALARS: readonly JsonObject[] = [TEXT, { type: 'number' }, { type: 'boolean' }, { type: 'null' }]

/**
 * The schema of a program for strict structured output, generated from the operator table: the shape of the language's
 * own JSON Schema within the subset of strict modes (which includes recursion by `$ref`). Constants are scalars and
 * lists, since strict modes cannot describe objects with arbitrary members; the operator `object` builds those.
 */
export const PROGRAM_OUTPUT: OutputSchema = {
  name: 'program',
  schema: {
    ...objectSchema({}, { language: { type: 'string', enum: LANGUAGES }, body: EXPR }),
    $defs: {
      Expr: unionSchema(OPERATORS, 'op'),
      Pos: unionSchema(POSITIONS, 'op'),
      Pattern: unionSchema(PATTERNS, 'kind'),
      CharSet: objectSchema(CHAR_SET, {}),
      Scalar: { anyOf: SCALARS },
      Value: { anyOf: [...SCALARS, { type: 'array', items: { $ref: '#/$defs/Value' } }] },
    },
  },
}

/** Returns the fields of a node by its tag; undefined for an unknown node. */
function fieldsOf(node: JsonObject): Fields | undefined {
  const entry = typeof node.op === 'string' ? (findOperator(node.op) ?? findPosition(node)) : findPattern(node)
  return entry?.fields
}

function withoutNulls(node: JsonObject, fields: Fields): JsonObject {
  return Object.fromEntries(
    Object.entries(node).flatMap(([name, value]): [string, Json][] => {
      const spec = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (spec === undefined) return [[name, value]]
      if (spec.optional === true && value === null) return []
      return [[name, fieldValue(value, spec)]]
    }),
  )
}

function fieldValue(value: Json, spec: FieldSpec): Json {
  switch (spec.kind) {
    case 'expr':
    case 'pos':
    case 'pattern':
      return nodeValue(value)
    case 'exprs':
      return Array.isArray(value) ? value.map(nodeValue) : value
    case 'charSet':
      return isJsonObject(value) ? withoutNulls(value, CHAR_SET) : value
    case 'records':
      return Array.isArray(value)
        ? value.map((item: Json) => (isJsonObject(item) ? withoutNulls(item, spec.fields) : item))
        : value
    default:
      return value
  }
}

function nodeValue(value: Json): Json {
  if (!isJsonObject(value)) return value
  const fields = fieldsOf(value)
  return fields === undefined ? value : withoutNulls(value, fields)
}

/** A program as the language writes it, out of one as strict modes write it: optional members that are null are left out. */
export function fromWire(value: Json): Json {
  return isJsonObject(value) && value.body !== undefined ? { ...value, body: nodeValue(value.body) } : value
}
