import type { JsonObject } from '../../kernel/json/json.ts'
import { CHAR_SET, type Fields, type FieldSpec, MAX_FIELD_ITEMS } from './operators/fields.ts'
import { PATTERNS } from './operators/patterns.ts'
import { POSITIONS } from './operators/positions.ts'
import { OPERATORS } from './operators/table.ts'
import { LANGUAGES } from './versions.ts'

const EXPR: JsonObject = { $ref: '#/$defs/Expr' }

function fieldSchema(spec: FieldSpec): JsonObject {
  switch (spec.kind) {
    case 'expr':
      return EXPR
    case 'exprs':
      return { type: 'array', items: EXPR, minItems: spec.min, maxItems: MAX_FIELD_ITEMS }
    case 'pos':
      return { $ref: '#/$defs/Pos' }
    case 'pattern':
      return { $ref: '#/$defs/Pattern' }
    case 'charSet':
      return { $ref: '#/$defs/CharSet' }
    case 'integer': {
      const range = { type: 'integer', minimum: spec.min, maximum: spec.max }
      return spec.nonZero === true ? { ...range, not: { const: 0 } } : range
    }
    case 'string':
      return { type: 'string', minLength: spec.min, maxLength: spec.max }
    case 'choice':
      return { type: 'string', enum: spec.values }
    case 'flag':
      return { type: 'boolean' }
    case 'json':
      return {}
    case 'scalar':
      return { type: ['null', 'boolean', 'number', 'string'] }
    case 'name':
      return { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9]{0,31}$' }
    case 'strings':
      return { type: 'array', items: spec.values === undefined ? { type: 'string' } : { enum: spec.values } }
    case 'steps':
      return { type: 'array', items: { type: ['string', 'integer'] }, minItems: 1 }
    case 'regex':
      return { type: 'string', maxLength: 512 }
    case 'datePattern':
      return { type: 'string', minLength: 1, maxLength: 64 }
    case 'records':
      return { type: 'array', items: objectSchema(spec.fields, {}), minItems: spec.min, maxItems: MAX_FIELD_ITEMS }
  }
}

function objectSchema(fields: Fields, tag: JsonObject): JsonObject {
  const properties: [string, JsonObject][] = Object.entries(fields).map(([name, spec]) => [name, fieldSchema(spec)])
  const needed = Object.entries(fields).flatMap(([name, spec]) => (spec.optional === true ? [] : [name]))
  return {
    type: 'object',
    properties: { ...tag, ...Object.fromEntries(properties) },
    required: [...Object.keys(tag), ...needed],
    additionalProperties: false,
  }
}

function unionSchema(table: Readonly<Record<string, { readonly fields: Fields }>>, tagName: string): JsonObject {
  return {
    anyOf: Object.entries(table).map(([tag, { fields }]) => objectSchema(fields, { [tagName]: { const: tag } })),
  }
}

/**
 * JSON Schema (2020-12) of a program, generated from the operator table. It covers the shape; total limits, types,
 * bound names and regular expressions are checked by `parseProgram` alone.
 */
export const PROGRAM_JSON_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: LANGUAGES.join(', '),
  ...objectSchema({}, { language: { enum: LANGUAGES }, body: EXPR }),
  $defs: {
    Expr: unionSchema(OPERATORS, 'op'),
    Pos: unionSchema(POSITIONS, 'op'),
    Pattern: unionSchema(PATTERNS, 'kind'),
    CharSet: objectSchema(CHAR_SET, {}),
  },
}
