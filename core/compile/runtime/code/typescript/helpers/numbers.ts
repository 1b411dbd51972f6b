import type { Json } from '../../../../../kernel/json/json.ts'
import { addDecimal, divDecimal, middleNumbers } from '../../../../language/primitives/numbers/arithmetic.ts'
import { checkTerms } from '../../../../language/primitives/numbers/check-sums.ts'
import { runningSums, stepsBetween } from '../../../../language/primitives/numbers/running.ts'
import { calculateWritten } from '../../../../language/primitives/numbers/written-decimal.ts'
import { finite, need, NoAnswer, typed } from './answers.ts'

/** The numbers of a list. */
export function numbers(items: readonly Json[]): number[] {
  return items.map((item) => typed(item, 'number'))
}

/** The decimal sum, from left to right, or that of which check digits are made. */
export function sum(items: readonly Json[], by?: 'luhn' | 'ean' | 'isbn' | 'mod11'): number {
  const terms = by === undefined ? numbers(items) : checkTerms(numbers(items), by)
  return finite(terms.reduce((total, number) => addDecimal(total, number), 0))
}

/** For each item the sum of it and all before it. */
export function runningSum(items: readonly Json[]): number[] {
  return runningSums(numbers(items)).map((number) => finite(number))
}

/** Each item but the first, less the one before it. */
export function differences(items: readonly Json[]): number[] {
  return stepsBetween(numbers(items)).map((number) => finite(number))
}

/** The mean or the median of a list of numbers. */
export function averageOf(items: readonly Json[], kind: 'mean' | 'median' = 'mean'): number {
  const counted = kind === 'mean' ? numbers(items) : middleNumbers(numbers(items))
  return finite(need(divDecimal(sum(counted), counted.length), 'out_of_range'))
}

/** The smallest or largest number of a list. */
export function extreme(items: readonly Json[], pick: (left: number, right: number) => number): number {
  const all = numbers(items)
  return finite(all.slice(1).reduce((best, number) => pick(best, number), need(all[0], 'missing')))
}

/** The sum of written decimals, with their places. */
export function decimalSum(items: readonly Json[]): string {
  for (const item of items) typed(item, 'text', 'number')
  return items.reduce<string>(
    (total, item) => need(calculateWritten('add', total, typed(item, 'text', 'number')), 'no_match'),
    '0',
  )
}

/** The number of a boolean or of a text that is one. */
export function numberOf(value: boolean | number | string, read: (text: string) => number | undefined): number {
  return typeof value === 'string' ? need(read(value), 'no_match') : Number(value)
}

/** A number other than zero. */
export function divisor(value: number): number {
  if (value === 0) throw new NoAnswer('out_of_range')
  return value
}
