import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'

const MAX_MEMBERS = 64
const MAX_DEPTH = 8
/** Numbers that the schema's types can spell (core/model/generation/constraints). */
const INTEGER = /^-?(0|[1-9]\d{0,14})$/
const DECIMAL = /^-?(0|[1-9]\d{0,8})\.\d{1,6}$/

/**
 * Infers a JSON Schema that all given values share, of keywords that generation can enforce: types, members with the
 * always-present ones required, items. Null when the values have no common shape: too many members, numbers outside the
 * schema's number format, nesting too deep.
 */
export function inferSchema(values: readonly Json[]): JsonObject | null {
  return schemaOf(values, 0)
}

function schemaOf(values: readonly Json[], depth: number): JsonObject | null {
  if (depth > MAX_DEPTH || values.length === 0) return null
  const groups = Map.groupBy(values, kindOf)
  const branches: JsonObject[] = []
  for (const kind of [...groups.keys()].toSorted()) {
    const branch = branchOf(kind, groups.get(kind) ?? [], depth)
    if (branch === null) return null
    branches.push(branch)
  }
  const [only] = branches
  return branches.length === 1 && only !== undefined ? only : { anyOf: branches }
}

type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

function kindOf(value: Json): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isJsonObject(value)) return 'object'
  return typeof value === 'boolean' ? 'boolean' : typeof value === 'number' ? 'number' : 'string'
}

function branchOf(kind: Kind, values: readonly Json[], depth: number): JsonObject | null {
  switch (kind) {
    case 'null':
    case 'boolean':
    case 'string':
      return { type: kind }
    case 'number':
      return numberSchema(values)
    case 'array':
      return arraySchema(values, depth)
    case 'object':
      return objectSchema(values.filter(isJsonObject), depth)
  }
}

function numberSchema(values: readonly Json[]): JsonObject | null {
  const texts = values.map(canonicalJson)
  if (texts.every((text) => INTEGER.test(text))) return { type: 'integer' }
  return texts.every((text) => INTEGER.test(text) || DECIMAL.test(text)) ? { type: 'number' } : null
}

function arraySchema(values: readonly Json[], depth: number): JsonObject | null {
  const items: Json[] = values.flatMap((value) => (Array.isArray(value) ? value : []))
  if (items.length === 0) return { type: 'array', items: { type: 'null' }, maxItems: 0 }
  const schema = schemaOf(items, depth + 1)
  return schema === null ? null : { type: 'array', items: schema }
}

function objectSchema(values: readonly JsonObject[], depth: number): JsonObject | null {
  const names = [...new Set(values.flatMap((value) => Object.keys(value)))].toSorted()
  if (names.length > MAX_MEMBERS) return null
  const properties: Record<string, Json> = {}
  const required: string[] = []
  for (const name of names) {
    const found = values.flatMap((value) => {
      const member = Object.hasOwn(value, name) ? value[name] : undefined
      return member === undefined ? [] : [member]
    })
    const schema = schemaOf(found, depth + 1)
    if (schema === null) return null
    properties[name] = schema
    if (found.length === values.length) required.push(name)
  }
  return { type: 'object', properties, required }
}
