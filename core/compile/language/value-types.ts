import type { Json } from '../../kernel/json/json.ts'
import type { TypeName } from './names.ts'

/** A set of value types, as bits. Element types of lists and objects are not tracked. */
export type TypeSet = number

export const NULL: TypeSet = 1
export const BOOLEAN: TypeSet = 2
export const NUMBER: TypeSet = 4
export const TEXT: TypeSet = 8
export const LIST: TypeSet = 16
export const OBJECT: TypeSet = 32
/** The internal date type; no JSON value has it. */
export const DATE: TypeSet = 64
/** Types of inputs and outputs. */
export const JSON_VALUE: TypeSet = NULL | BOOLEAN | NUMBER | TEXT | LIST | OBJECT
export const ANY: TypeSet = JSON_VALUE | DATE

const NAMES: readonly (readonly [TypeSet, string])[] = [
  [NULL, 'null'],
  [BOOLEAN, 'boolean'],
  [NUMBER, 'number'],
  [TEXT, 'text'],
  [LIST, 'list'],
  [OBJECT, 'object'],
  [DATE, 'date'],
]

/** The set in words: `number or text`. */
export function typeSetName(types: TypeSet): string {
  if (types === ANY) return 'any'
  if (types === JSON_VALUE) return 'json'
  return NAMES.filter(([bit]) => (types & bit) !== 0)
    .map(([, name]) => name)
    .join(' or ')
}

/** The type of a JSON value. */
export function typeNameOf(value: Json): TypeName {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return Array.isArray(value) ? 'list' : 'object'
}

/** The type of a JSON value, as a set of one. */
export function typeSetOf(value: Json): TypeSet {
  const name = typeNameOf(value)
  return NAMES.find(([, known]) => known === name)?.[0] ?? NULL
}
