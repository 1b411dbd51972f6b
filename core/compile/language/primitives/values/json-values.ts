import { canonicalJson, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import { WHITE_SPACE } from '../text/char-classes.ts'
import { trimText } from '../text/edit.ts'

/** Deepest nesting of an input or output. */
export const MAX_VALUE_DEPTH = 64

/** Called for every value that is visited; throws to stop. */
export type Visit = () => void

const visitFreely: Visit = () => {}

/** Equality of JSON values; the order of members does not matter. They are visited in the order of their names. */
export function equalJson(left: Json, right: Json, visit: Visit = visitFreely): boolean {
  visit()
  // No short cut for identical objects: the cost of a comparison must not depend on sharing.
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right
  if (isList(left)) {
    return (
      isList(right) && left.length === right.length && left.every((item, i) => equalJson(item, right[i] ?? null, visit))
    )
  }
  if (isList(right)) return false
  const names = sortedNames(left)
  if (names.length !== Object.keys(right).length) return false
  return names.every((name) => Object.hasOwn(right, name) && equalJson(left[name] ?? null, right[name] ?? null, visit))
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value)
}

/** null, the empty text, the empty list or the empty object. */
export function isEmptyJson(value: Json): boolean {
  if (value === null || value === '') return true
  if (typeof value !== 'object') return false
  return isList(value) ? value.length === 0 : Object.keys(value).length === 0
}

/** Names of an object's members in UTF-16 code unit order, which does not depend on how the object was made. */
export function sortedNames(object: JsonObject): string[] {
  return Object.keys(object).sort(compareTexts)
}

/** Order of texts by UTF-16 code unit. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** A member that is the object's own; undefined when there is none. */
export function memberOf(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Item at a 0-based index, or from the end when it is negative; undefined when there is none. */
export function itemAt(list: readonly Json[], index: number): Json | undefined {
  return list.at(index)
}

/** A text as it is, a number in its shortest form, `true` or `false`; undefined for other values. */
export function jsonToText(value: Json): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return undefined
}

const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['y', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['n', false],
  ['off', false],
  ['0', false],
])

/** A boolean, 1 or 0, or a word for one in any case (true/false, yes/no, y/n, on/off, 1/0); else undefined. */
export function jsonToBoolean(value: Json): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value === 1 ? true : value === 0 ? false : undefined
  return typeof value === 'string' ? BOOLEAN_WORDS.get(trimText(value, 'both', WHITE_SPACE).toLowerCase()) : undefined
}

/** A text that is the same for equal values and differs for others. */
export function valueKey(value: Json): string {
  return typeof value === 'string' ? `"${value}` : typeof value === 'object' ? canonicalJson(value) : String(value)
}

/** Returns the items without duplicates; the first of each is kept. */
export function uniqueItems(list: readonly Json[]): Json[] {
  const seen = new Set<string>()
  return list.filter((item) => {
    const key = valueKey(item)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** Number of items or members in a value at all depths, and of units in its texts and names, each value counting 8. */
export function sizeOfJson(value: Json, limit: number): number {
  return measure(value, limit, 0)
}

function measure(value: Json, limit: number, depth: number): number {
  if (depth > MAX_VALUE_DEPTH) return Infinity
  if (typeof value === 'string') return 8 + value.length
  if (typeof value !== 'object' || value === null) return 8
  let size = 8
  if (isList(value)) {
    for (const item of value) {
      size += measure(item, limit - size, depth + 1)
      if (size > limit) return Infinity
    }
    return size
  }
  for (const name of Object.keys(value)) {
    size += name.length + measure(value[name] ?? null, limit - size, depth + 1)
    if (size > limit) return Infinity
  }
  return size
}

/** True for a JSON value with finite numbers and well-formed texts, nested at most 64 deep. */
export function isBoundedJson(value: unknown, depth = 0): value is Json {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value === 'boolean') return true
  if (typeof value !== 'object' || depth >= MAX_VALUE_DEPTH) return false
  if (Array.isArray(value)) return value.every((item) => isBoundedJson(item, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isBoundedJson(member, depth + 1))
}

/** Reads a JSON text; undefined when it is none, or is nested too deeply. */
export function parseJsonText(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isBoundedJson(value) ? value : undefined
  } catch {
    return undefined
  }
}
