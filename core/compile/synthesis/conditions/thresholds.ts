import type { Expr } from '../../language/ast.ts'
import type { DatePart } from '../../language/names.ts'
import { costOf, type Cost } from '../ranking/cost.ts'

const MAX_EXPONENT = 9
const MIN_EXPONENT = -6

/** More than a number changes by being written with twelve digits, as a part of it. */
const TIDIED = 1e-11

/** A number with twelve digits, where that lies in `low < t <= high`. Most are far outside, and are not written for it. */
function tidyBetween(candidate: number, low: number, high: number): number | undefined {
  const change = Math.abs(candidate) * TIDIED
  if (candidate + change <= low || candidate - change > high) return undefined
  const tidy = Number(candidate.toPrecision(12))
  return tidy > low && tidy <= high ? tidy : undefined
}

function nearestMultiple(step: number, low: number, high: number): number | undefined {
  const middle = (low + high) / 2
  return (
    tidyBetween(Math.round(middle / step) * step, low, high) ??
    tidyBetween(Math.floor(high / step) * step, low, high) ??
    tidyBetween((Math.floor(low / step) + 1) * step, low, high)
  )
}

/** The roundest number `t` with `low < t <= high`: people put limits at 50 rather than at 48.5. */
export function roundestBetween(low: number, high: number): number {
  for (let exponent = MAX_EXPONENT; exponent >= MIN_EXPONENT; exponent--) {
    const power = 10 ** exponent
    const whole = tidyBetween(power, low, high) ?? tidyBetween(5 * power, low, high)
    if (whole !== undefined) return whole
    for (const step of [power, 2.5 * power, power / 2]) {
      const found = nearestMultiple(step, low, high)
      if (found !== undefined) return found
    }
  }
  return high
}

/** A limit: the rows at or above it, or those above it. */
export interface Limit {
  readonly op: 'ge' | 'gt'
  readonly value: number
}

function untidiness(value: number): number {
  return String(Math.abs(value)).replace(/0+$|[.]/g, '').length
}

/** The limit between two numbers: a usual one, else the one that takes the fewest digits to write. */
export function limitBetween(low: number, high: number, usual: readonly number[] = []): Limit {
  const known = usual.find((value) => value > low && value <= high)
  if (known !== undefined) return { op: 'ge', value: known }
  const value = roundestBetween(low, high)
  return untidiness(low) < untidiness(value) ? { op: 'gt', value: low } : { op: 'ge', value }
}

/** Returns true when a number passes a limit. */
export function passes(value: number, limit: Limit): boolean {
  return limit.op === 'ge' ? value >= limit.value : value > limit.value
}

/** Returns the cost of a limit by its digits. */
export function limitCost({ value }: Limit): Cost {
  return costOf('limit.digit', String(value).replace(/0+$|[.-]/g, '').length)
}

/**
 * Returns limits between neighbouring distinct values, at a `usual` one where it lies between; each separates the rows
 * above from the rows below.
 */
export function limitsOf(
  values: readonly (number | undefined)[],
  limit: number,
  usual: readonly number[] = [],
): Limit[] {
  const distinct = [...new Set(values.filter((value) => value !== undefined))].toSorted((a, b) => a - b)
  const limits: Limit[] = []
  for (let i = 1; i < distinct.length && limits.length < limit; i++) {
    const low = distinct[i - 1] ?? 0
    const high = distinct[i] ?? 0
    limits.push(limitBetween(low, high, usual))
  }
  return limits
}

/** Names of members that hold the age of a person, in several languages. */
const AGE = /(?:^|_)(?:age|alter|edad|idade|âge|età|leeftijd|wiek)(?:$|_)/iu
/** Ages of majority, retirement and youth: laws and forms put limits there. */
const AGES = [18, 65, 21, 13, 16, 60, 12] as const

/**
 * Returns the usual boundaries of a number: of date parts the week before Saturday, the day at noon and at six; of ages of
 * people those of laws.
 */
export function usualLimits(number: Expr): readonly number[] {
  const part = partOf(number)
  if (part !== undefined) return usualOf(part)
  const name = number.op === 'field' ? number.name : number.op === 'path' ? number.steps.at(-1) : undefined
  return typeof name === 'string' && AGE.test(name) ? AGES : []
}

/** Returns true for parts of dates, which begin again: winter and night have both ends of a period. */
export function isRecurring(number: Expr): boolean {
  return partOf(number) !== undefined
}

function partOf(number: Expr): DatePart | undefined {
  return number.op === 'datePart' ? number.part : undefined
}

function usualOf(part: DatePart): readonly number[] {
  return part === 'weekday' ? [6] : part === 'hour' ? [12, 18, 6] : []
}

/** For counts and lengths: the least value of the rows above, since these are whole numbers. */
export function stepsOf(values: readonly (number | undefined)[], limit: number): number[] {
  const distinct = [...new Set(values.filter((value) => value !== undefined))].toSorted((a, b) => a - b)
  return distinct.slice(1, limit + 1)
}

/** A range of numbers, with both of its ends. */
export interface Interval {
  readonly low: number
  readonly high: number
  readonly cost: Cost
}

const MAX_INTERVAL_VALUES = 9

/** Ranges that hold at least two of the values and leave out smaller and larger ones. */
export function intervalsOf(values: readonly (number | undefined)[]): Interval[] {
  const distinct = [...new Set(values.filter((value) => value !== undefined))].toSorted((a, b) => a - b)
  if (distinct.length < 4 || distinct.length > MAX_INTERVAL_VALUES) return []
  const areWhole = distinct.every((value) => Number.isInteger(value))
  const at = (index: number) => distinct[index] ?? 0
  const intervals: Interval[] = []
  for (let first = 1; first < distinct.length - 2; first++) {
    for (let last = first + 1; last < distinct.length - 1; last++) {
      const low = roundestBetween(at(first - 1), at(first))
      const high = -roundestBetween(-at(last + 1), -at(last))
      const shown = [at(first) - at(first - 1), at(last + 1) - at(last)].filter((gap) => areWhole && gap === 1).length
      const digits = limitCost({ op: 'ge', value: low }).plus(limitCost({ op: 'ge', value: high }))
      // Rows beside an end are given to mark that end.
      intervals.push({ low, high, cost: digits.with('interval.shownEnd', shown) })
    }
  }
  return intervals
}
