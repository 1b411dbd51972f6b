import type { Json } from '../../../kernel/json/json.ts'
import type { FailureReason } from '../errors.ts'
import type { Value } from '../value-types.ts'

/** Fuel of one evaluation when the caller names none. */
export const DEFAULT_FUEL = 1_000_000
/** Units of text and slots of lists (8 units each) that one evaluation may make in all. */
export const MAX_MADE = 16_777_216
/** Largest answer, as `sizeOfJson` measures it. */
export const MAX_ANSWER_SIZE = 4_194_304

/** The state of one evaluation. Steps are compiled once and shared; everything that changes is here. */
export class Frame {
  readonly input: Json
  /** Values of the bound names, by nesting depth. */
  readonly bound: Value[] = []
  fuel: number
  room: number

  constructor(input: Json, fuel: number) {
    this.input = input
    this.fuel = fuel
    this.room = MAX_MADE
  }
}

/** A compiled expression. */
export type Step<T = Value> = (frame: Frame) => T

/**
 * Thrown inside an evaluation that has no answer. It is not an `Error`: taking a stack trace costs many times an
 * alternative of `orElse`. It never leaves the language: the entry point converts it into a `RecipeError`.
 */
export class Failure {
  readonly reason: FailureReason
  readonly operator: string

  constructor(reason: FailureReason, operator: string) {
    this.reason = reason
    this.operator = operator
  }

  /** True when `orElse` and `can` may continue: exhaustion ends the whole evaluation. */
  get isCaught(): boolean {
    return this.reason !== 'out_of_fuel' && this.reason !== 'out_of_memory'
  }
}

const failures = new Map<string, Failure>()

/** The one failure of that reason and operator. */
export function failure(reason: FailureReason, operator: string): Failure {
  const key = `${reason} ${operator}`
  let known = failures.get(key)
  if (known === undefined) {
    known = new Failure(reason, operator)
    failures.set(key, known)
  }
  return known
}

const OUT_OF_FUEL = new Failure('out_of_fuel', 'program')
const OUT_OF_MEMORY = new Failure('out_of_memory', 'program')

/** Uses fuel; throws when it is used up. */
export function spend(frame: Frame, fuel: number): void {
  frame.fuel -= fuel
  if (frame.fuel < 0) throw OUT_OF_FUEL
}

/** Fuel for looking through so many units of text: one for each full 64. */
export function scan(frame: Frame, units: number): void {
  if (units >= 64) spend(frame, units >>> 6)
}

/** Reserves memory for this many units, and the fuel for creating them; throws before they are created. */
export function reserve(frame: Frame, units: number): void {
  frame.room -= units
  if (frame.room < 0) throw OUT_OF_MEMORY
  scan(frame, units)
}

/** Memory and fuel of a list or an object with so many items. */
export function reserveItems(frame: Frame, items: number): void {
  reserve(frame, items * 8)
}
