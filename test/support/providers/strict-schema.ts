import { isRecord } from './protocol.ts'

/** Keywords that strict structured output takes. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  '$ref',
  '$defs',
  'description',
  'title',
])
const MAX_PROPERTIES = 5000
const MAX_ENUM_VALUES = 1000
const MAX_DEPTH = 10
const MAX_STRING_CHARS = 120_000

/**
 * Returns what keeps a schema out of strict structured output, by the published limits of OpenAI: object root without `anyOf`,
 * every property required, `additionalProperties: false`, known keywords, bounded size and nesting. Null when nothing.
 */
export function strictFault(schema: unknown): string | null {
  const counts = { properties: 0, enums: 0, chars: 0 }
  if (!isRecord(schema) || schema['type'] !== 'object') return 'the root must be an object'
  const fault = faultAt(schema, 'root', 0, counts)
  if (fault !== null) return fault
  if (counts.properties > MAX_PROPERTIES) return `more than ${MAX_PROPERTIES} properties`
  if (counts.enums > MAX_ENUM_VALUES) return `more than ${MAX_ENUM_VALUES} enum values`
  return counts.chars > MAX_STRING_CHARS ? `names and values are longer than ${MAX_STRING_CHARS}` : null
}

interface Counts {
  properties: number
  enums: number
  chars: number
}

function faultAt(schema: unknown, path: string, depth: number, counts: Counts): string | null {
  if (!isRecord(schema)) return `${path} is no schema`
  if (depth > MAX_DEPTH) return `${path} nests deeper than ${MAX_DEPTH}`
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword))
  if (unknown !== undefined) return `${path}: '${unknown}' is not permitted`
  const { properties, required, enum: values, items, anyOf, $defs, $ref } = schema
  if (['type', 'anyOf', '$ref', 'enum', 'const'].every((keyword) => schema[keyword] === undefined)) {
    return `${path} must have a 'type' key`
  }
  if (typeof $ref === 'string' && !/^#\/\$defs\/\w+$/.test($ref))
    return `${path}: reference can only point to definitions`
  if (schema['type'] === 'object') {
    const names = isRecord(properties) ? Object.keys(properties) : []
    if (schema['additionalProperties'] !== false) return `${path}: 'additionalProperties' is required to be false`
    const listed = new Set(Array.isArray(required) ? required : [])
    if (names.length !== listed.size || names.some((name) => !listed.has(name))) {
      return `${path}: 'required' must list every key in properties`
    }
    counts.properties += names.length
    counts.chars += names.join('').length
  }
  if (Array.isArray(values)) {
    counts.enums += values.length
    counts.chars += values.map(String).join('').length
  }
  const parts: [string, unknown, number][] = [
    ...Object.entries(isRecord(properties) ? properties : {}).map(([name, one]): [string, unknown, number] => [
      name,
      one,
      1,
    ]),
    ...(items === undefined ? [] : [['items', items, 1] satisfies [string, unknown, number]]),
    ...(Array.isArray(anyOf) ? anyOf : []).map((one: unknown, i): [string, unknown, number] => [`anyOf[${i}]`, one, 0]),
    // Definitions are counted from their own root.
    ...Object.entries(isRecord($defs) ? $defs : {}).map(([name, one]): [string, unknown, number] => [
      name,
      one,
      -depth,
    ]),
  ]
  for (const [name, part, deeper] of parts) {
    const fault = faultAt(part, `${path}.${name}`, depth + deeper, counts)
    if (fault !== null) return fault
  }
  return null
}
