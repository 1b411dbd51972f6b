import type { DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { jsonString, jsonStringOf } from './json-strings.ts'
import { choice, literal, type Pattern, repeat, sequence } from './pattern.ts'
import { readRegex } from './regex.ts'

const MAX_DEPTH = 12
const MAX_COUNT = 10_000
const ANNOTATIONS = ['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'deprecated']
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const

type TypeName = (typeof TYPES)[number]

/** The keywords that each type understands; any other one is refused by its name. */
const KEYWORDS: Readonly<Record<TypeName, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength', 'pattern'],
  number: [],
  integer: [],
  boolean: [],
  null: [],
}

const DIGITS = { kind: 'chars', ranges: [[48, 57]] } as const
const NON_ZERO = { kind: 'chars', ranges: [[49, 57]] } as const
/** At most 15 digits: every such integer is a double. Minus zero is left out, as in RFC 8785. */
const INTEGER = choice([literal('0'), sequence(repeat(literal('-'), 0, 1), NON_ZERO, repeat(DIGITS, 0, 14))])
const FRACTION = sequence(
  repeat(literal('-'), 0, 1),
  choice([literal('0'), sequence(NON_ZERO, repeat(DIGITS, 0, 8))]),
  literal('.'),
  repeat(DIGITS, 0, 5),
  NON_ZERO,
)

/**
 * The JSON texts that validate against a schema, as compact JSON with the members of objects in the order of RFC 8785
 * (so is the text of a training answer). Supported are `type` (one or a list), `enum`, `const`, `anyOf`, `properties`
 * with `required`, `items` with `minItems` and `maxItems`, `minLength`, `maxLength`, `pattern`; objects have no members
 * beyond their properties. Without recursion this is a regular language. Throws `invalid_constraint`, which names the
 * keyword and its place, for anything else.
 */
export function readJsonSchema(schema: Json): Pattern {
  return readSchema(schema, '#', 0)
}

function refuse(path: string, problem: string, cause?: unknown): DomainError {
  return MODEL_ERRORS.invalid_constraint(`JSON Schema at ${path}: ${problem}`, { details: { path }, cause })
}

function readSchema(schema: Json | undefined, path: string, depth: number): Pattern {
  if (!isJsonObject(schema)) throw refuse(path, 'a schema has to be an object')
  if (depth > MAX_DEPTH) throw refuse(path, `nested deeper than ${MAX_DEPTH}`)
  if (schema['const'] !== undefined) {
    allowOnly(schema, path, ['const', 'type'])
    return readValue(schema['const'], path)
  }
  if (schema['enum'] !== undefined) {
    allowOnly(schema, path, ['enum', 'type'])
    const values = listOf(schema['enum'], `${path}/enum`)
    if (values.length === 0) throw refuse(path, 'enum is empty')
    return choice(values.map((value) => readValue(value, path)))
  }
  if (schema['anyOf'] !== undefined) {
    allowOnly(schema, path, ['anyOf'])
    const branches = listOf(schema['anyOf'], `${path}/anyOf`)
    return choice(branches.map((branch, index) => readSchema(branch, `${path}/anyOf/${index}`, depth + 1)))
  }
  allowOnly(schema, path, ['type', ...Object.values(KEYWORDS).flat()])
  const types = readTypes(schema, path)
  allowOnly(schema, path, ['type', ...types.flatMap((type) => KEYWORDS[type])])
  return choice(types.map((type) => readType(type, schema, path, depth)))
}

/** Exactly this value. */
function readValue(value: Json | undefined, path: string): Pattern {
  try {
    return literal(canonicalJson(value ?? null))
  } catch (cause) {
    const problem = cause instanceof RangeError ? 'a value is nested too deep' : 'a text holds half of a surrogate pair'
    throw refuse(path, problem, cause)
  }
}

function readTypes(schema: JsonObject, path: string): readonly TypeName[] {
  const given = schema['type']
  const names = Array.isArray(given) ? listOf(given, path) : [given]
  const types = TYPES.filter((type) => names.includes(type))
  if (types.length === 0 || types.length < names.length) {
    throw refuse(path, `type has to be one of ${TYPES.join(', ')}, or a list of them`)
  }
  return types
}

function readType(type: TypeName, schema: JsonObject, path: string, depth: number): Pattern {
  switch (type) {
    case 'null':
      return literal('null')
    case 'boolean':
      return choice([literal('true'), literal('false')])
    case 'integer':
      return INTEGER
    case 'number':
      return choice([INTEGER, FRACTION])
    case 'string':
      return readString(schema, path)
    case 'array':
      return readArray(schema, path, depth)
    case 'object':
      return readObject(schema, path, depth)
  }
}

function readString(schema: JsonObject, path: string): Pattern {
  const pattern = schema['pattern']
  const min = countOf(schema, 'minLength', path) ?? 0
  const max = countOf(schema, 'maxLength', path)
  if (max !== null && max < min) throw refuse(path, 'maxLength is below minLength')
  if (pattern === undefined) return jsonString(min, max)
  if (typeof pattern !== 'string') throw refuse(path, 'pattern has to be a text')
  if (min > 0 || max !== null) {
    throw refuse(path, 'pattern together with minLength or maxLength is not supported: say the length in the pattern')
  }
  return jsonStringOf(readRegex(pattern, 'search'))
}

function readArray(schema: JsonObject, path: string, depth: number): Pattern {
  const min = countOf(schema, 'minItems', path) ?? 0
  const max = countOf(schema, 'maxItems', path)
  if (max !== null && max < min) throw refuse(path, 'maxItems is below minItems')
  if (schema['items'] === undefined) throw refuse(path, 'an array needs items')
  const empty = literal('[]')
  if (max === 0) return empty
  const item = readSchema(schema['items'], `${path}/items`, depth + 1)
  const further = repeat(sequence(literal(','), item), Math.max(0, min - 1), max === null ? null : max - 1)
  const filled = sequence(literal('['), item, further, literal(']'))
  return min === 0 ? choice([empty, filled]) : filled
}

function readObject(schema: JsonObject, path: string, depth: number): Pattern {
  const given = schema['properties'] ?? {}
  if (!isJsonObject(given)) throw refuse(path, 'properties has to be an object')
  const extra = schema['additionalProperties']
  if (extra !== undefined && extra !== false)
    throw refuse(path, 'additionalProperties other than false is not supported')
  const required = listOf(schema['required'] ?? [], `${path}/required`)
  const names = Object.keys(given).toSorted()
  for (const name of required) {
    if (typeof name !== 'string' || !names.includes(name))
      throw refuse(path, `required names ${canonicalJson(name)}, which is no property`)
  }
  const members = names.map((name) => ({
    isRequired: required.includes(name),
    pattern: sequence(
      readValue(name, path),
      literal(':'),
      readSchema(given[name], `${path}/properties/${name}`, depth + 1),
    ),
  }))
  return sequence(literal('{'), joinMembers(members), literal('}'))
}

interface Member {
  readonly isRequired: boolean
  readonly pattern: Pattern
}

/**
 * Members in their order, optional ones present or absent, with commas between the present ones. Built from the end:
 * the tail after member i differs only in its comma when the member was the first one.
 */
function joinMembers(members: readonly Member[]): Pattern {
  const comma = literal(',')
  const firstRequired = members.findIndex((member) => member.isRequired)
  // The first present member determines the commas: one branch for each possible one.
  const last = firstRequired < 0 ? members.length - 1 : firstRequired
  const branches = members.slice(0, last + 1).map((first, index) => {
    const rest = members.slice(index + 1).map(({ isRequired, pattern }) => {
      const following = sequence(comma, pattern)
      return isRequired ? following : repeat(following, 0, 1)
    })
    return sequence(first.pattern, ...rest)
  })
  return choice(firstRequired < 0 ? [sequence(), ...branches] : branches)
}

function allowOnly(schema: JsonObject, path: string, keywords: readonly string[]): void {
  const unknown = Object.keys(schema).find((key) => !keywords.includes(key) && !ANNOTATIONS.includes(key))
  if (unknown !== undefined) throw refuse(path, `keyword ${unknown} is not supported here`)
}

function listOf(value: Json, path: string): readonly Json[] {
  if (!Array.isArray(value)) throw refuse(path, 'a list is needed')
  const items: readonly Json[] = value
  return items
}

function countOf(schema: JsonObject, keyword: string, path: string): number | null {
  const value = schema[keyword]
  if (value === undefined) return null
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_COUNT) {
    throw refuse(path, `${keyword} has to be an integer from 0 to ${MAX_COUNT}`)
  }
  return value
}
