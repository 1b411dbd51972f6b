import { canonicalJson, isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Path } from '../recipe/tabular-recipe.ts'

/** The value at a path; undefined when the input ends before it. */
export function valueAt(input: Json, path: Path): Json | undefined {
  let value: Json | undefined = input
  for (const step of path) {
    if (typeof step === 'number') value = Array.isArray(value) ? value[step] : undefined
    else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
    if (value === undefined) return undefined
  }
  return value
}

/** True for a place without a value: absent, null, or a text of white space. */
export function isMissing(value: Json | undefined): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

/** The name of a value as a category: its canonical JSON, a text without white space at its ends. */
export function categoryOf(value: Json): string {
  return canonicalJson(typeof value === 'string' ? value.trim() : value)
}
