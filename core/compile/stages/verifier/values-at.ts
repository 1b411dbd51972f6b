import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { JsonType, ValuePath } from './verifier-types.ts'

/** Path step that means every element of a list. */
export const EACH = '*'

/** The name of a value's JSON type. */
export function jsonTypeOf(value: Json): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    default:
      return 'object'
  }
}

/** The values that a path leads to; none where a member is missing or the type is another. */
export function valuesAt(value: Json, path: ValuePath): readonly Json[] {
  let found: readonly Json[] = [value]
  for (const step of path) {
    found = found.flatMap((one): readonly Json[] => {
      if (Array.isArray(one)) return step === EACH ? one : []
      if (!isJsonObject(one) || !Object.hasOwn(one, step)) return []
      const inner = one[step]
      return inner === undefined ? [] : [inner]
    })
  }
  return found
}
