import type { Json, JsonObject } from '../../kernel/json/json.ts'
import type { TypeName } from './names.ts'
import { CivilDate } from './primitives/dates/civil-date.ts'

/** Result of evaluating an expression. */
export type Value = Json | CivilDate

/** A set of value types, as bits. Element types of lists and objects are not tracked. */
export type TypeSet = number

declare const held: unique symbol

/** A set of value types that TypeScript knows as `T`. */
export type TypesOf<T> = TypeSet & { readonly [held]?: T }

/** The values of a set of types. */
export type HeldBy<S> = S extends { readonly [held]?: infer T } ? (unknown extends T ? Value : T) : Value

export const NULL: TypesOf<null> = 1
export const BOOLEAN: TypesOf<boolean> = 2
export const NUMBER: TypesOf<number> = 4
export const TEXT: TypesOf<string> = 8
export const LIST: TypesOf<readonly Json[]> = 16
export const OBJECT: TypesOf<JsonObject> = 32
/** The internal date type; no JSON value has it. */
export const DATE: TypesOf<CivilDate> = 64
/** Types of inputs and outputs. */
export const JSON_VALUE: TypesOf<Json> = NULL | BOOLEAN | NUMBER | TEXT | LIST | OBJECT
export const ANY: TypesOf<Value> = JSON_VALUE | DATE

/** The union of sets of types. */
export function either<A, B, C = never>(a: TypesOf<A>, b: TypesOf<B>, c: TypesOf<C> = 0): TypesOf<A | B | C> {
  return a | b | c
}

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

/** The type of a value, as a set of one. */
export function typeSetOf(value: Value): TypeSet {
  switch (typeof value) {
    case 'string':
      return TEXT
    case 'number':
      return NUMBER
    case 'boolean':
      return BOOLEAN
    default:
      if (value === null) return NULL
      if (Array.isArray(value)) return LIST
      return value instanceof CivilDate ? DATE : OBJECT
  }
}
