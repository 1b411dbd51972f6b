import type { Json, JsonObject } from '../../../../../kernel/json/json.ts'
import { CivilDate } from '../../../../language/primitives/dates/civil-date.ts'

/** Thrown for an input without an answer. */
export class NoAnswer extends Error {
  /** `no_match`, `missing`, `type_mismatch`, `out_of_range`, or `in_doubt` of a model. */
  readonly reason: string

  constructor(reason: string) {
    super(`no answer: ${reason}`)
    this.reason = reason
  }
}

interface Kinds {
  null: null
  boolean: boolean
  number: number
  text: string
  list: readonly Json[]
  object: JsonObject
  date: CivilDate
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'text'
  if (typeof value !== 'object') return typeof value
  if (Array.isArray(value)) return 'list'
  return value instanceof CivilDate ? 'date' : 'object'
}

/** Fails when the value is of none of the kinds. */
export function assertKind<K extends keyof Kinds>(value: unknown, ...kinds: readonly K[]): asserts value is Kinds[K] {
  const kind = kindOf(value)
  if (!kinds.some((one) => one === kind)) throw new NoAnswer('type_mismatch')
}

/** The value, when it is of one of the kinds. */
export function typed<K extends keyof Kinds>(value: unknown, ...kinds: readonly K[]): Kinds[K] {
  assertKind(value, ...kinds)
  return value
}

/** The value, or no answer where there is none. */
export function need<T>(value: T | undefined, reason: string): T {
  if (value === undefined) throw new NoAnswer(reason)
  return value
}

/** A finite number; there is one zero. */
export function finite(value: number | undefined): number {
  if (value === undefined || !Number.isFinite(value)) throw new NoAnswer('out_of_range')
  return value === 0 ? 0 : value
}

/** A member of an object. */
export function member(value: Json, name: string): Json {
  if (value === null) throw new NoAnswer('missing')
  const object = typed(value, 'object')
  return need(Object.hasOwn(object, name) ? object[name] : undefined, 'missing')
}

/** An item of a list; a negative index counts from the end. */
export function item(value: Json, index: number): Json {
  if (value === null) throw new NoAnswer('missing')
  return need(typed(value, 'list').at(index), 'missing')
}

/** True when there is an answer. */
export function can(make: () => unknown): boolean {
  try {
    make()
    return true
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return false
  }
}

/** A member, or none where its value has no answer. */
export function optional(name: string, make: () => Json): JsonObject {
  try {
    return Object.fromEntries([[name, make()]])
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return {}
  }
}

/** True for a value of the kind. */
export function isKind(value: unknown, kind: keyof Kinds): boolean {
  return kindOf(value) === kind
}
