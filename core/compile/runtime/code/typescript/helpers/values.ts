import type { Json, JsonObject } from '../../../../../kernel/json/json.ts'
import { CivilDate } from '../../../../language/primitives/dates/civil-date.ts'
import { differenceOf } from '../../../../language/primitives/dates/date-math.ts'
import {
  compareTexts,
  equalJson,
  isEmptyJson,
  sortedNames,
} from '../../../../language/primitives/values/json-values.ts'
import { NoAnswer, need, typed } from './answers.ts'

/** Equality of type and value. */
export function same(left: Json | CivilDate, right: Json | CivilDate): boolean {
  if (left instanceof CivilDate || right instanceof CivilDate) {
    return left instanceof CivilDate && right instanceof CivilDate && differenceOf(left, right, 'milliseconds') === 0
  }
  return equalJson(left, right)
}

/** Below, at or above 0, as the left value is less, equal or greater. */
export function order(left: Json | CivilDate, right: Json | CivilDate): number {
  if (typeof left === 'number' && typeof right === 'number') return left < right ? -1 : left > right ? 1 : 0
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right)
  if (left instanceof CivilDate && right instanceof CivilDate) {
    return need(differenceOf(right, left, 'milliseconds'), 'type_mismatch')
  }
  throw new NoAnswer('type_mismatch')
}

/** The value for a key. */
export function lookup<V, D>(table: ReadonlyMap<Json, V>, key: Json, otherwise: () => D): V | D {
  const found = table.get(key === 0 ? 0 : key)
  return found === undefined ? otherwise() : found
}

/** Ends without an answer. */
export function fail(reason: string): never {
  throw new NoAnswer(reason)
}

/** Sorts by keys that are all numbers or all texts. */
export function sortBy(items: readonly Json[], keys: readonly Json[], direction = 1): Json[] {
  const isNumbers = keys.every((key) => typeof key === 'number')
  if (!isNumbers) for (const key of keys) typed(key, 'text')
  const compare = (a: number, b: number) => direction * order(keys[a] ?? null, keys[b] ?? null) || a - b
  return [...items.keys()].sort(compare).map((index) => items[index] ?? null)
}

/** A whole number. */
function whole(value: number): number {
  if (!Number.isInteger(value)) throw new NoAnswer('out_of_range')
  return value
}

/** The first items; of a negative count, the last ones. */
export function take(items: readonly Json[], count: number): readonly Json[] {
  return whole(count) >= 0 ? items.slice(0, count) : items.slice(count)
}

/** The items without the first ones; of a negative count, without the last ones. */
export function drop(items: readonly Json[], count: number): readonly Json[] {
  return whole(count) >= 0 ? items.slice(count) : items.slice(0, count)
}

/** The members with their names changed. */
export function rename(value: JsonObject, names: readonly (readonly [string, string])[]): JsonObject {
  const renamed = new Set(names.map(([from]) => from))
  const kept = Object.entries(value).filter(([name]) => !renamed.has(name))
  const moved = names.flatMap(([from, to]): [string, Json][] =>
    Object.hasOwn(value, from) ? [[to, value[from] ?? null]] : [],
  )
  return Object.fromEntries([...kept, ...moved])
}

/** The members whose names are listed, or all others. */
export function choose(value: JsonObject, names: readonly string[], isPicked: boolean): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name) === isPicked))
}

/** The members of several objects; of equal names the last counts. */
export function merge(...objects: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(objects.flatMap((object) => Object.entries(object)))
}

/** The object with these entries. */
export function fromEntries(items: readonly Json[]): JsonObject {
  return Object.fromEntries(
    items.map((entry): [string, Json] => {
      const { key, value } = readEntry(typed(entry, 'object'))
      return [key, value]
    }),
  )
}

function readEntry(entry: JsonObject): { key: string; value: Json } {
  const own = (name: string) => (Object.hasOwn(entry, name) ? entry[name] : undefined)
  return { key: typed(own('key'), 'text'), value: need(own('value'), 'type_mismatch') }
}

/** The values of an object in the order of their names. */
export function valuesOf(value: JsonObject): Json[] {
  return sortedNames(value).map((name) => value[name] ?? null)
}

/** The members of an object as entries, in the order of their names. */
export function entriesOf(value: JsonObject): JsonObject[] {
  return sortedNames(value).map((key) => ({ key, value: value[key] ?? null }))
}

/** True for an object. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The canonical JSON text (RFC 8785). */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`
  const object = typed(value, 'object')
  return `{${sortedNames(object)
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name] ?? null)}`)
    .join(',')}}`
}

/** A text in lower case; other values as they are. */
export function inLowerCase(value: Json): Json {
  return typeof value === 'string' ? value.toLowerCase() : value
}

/** True for null, the empty text, the empty list and the empty object. */
export function isEmpty(value: Json | CivilDate): boolean {
  return !(value instanceof CivilDate) && isEmptyJson(value)
}
