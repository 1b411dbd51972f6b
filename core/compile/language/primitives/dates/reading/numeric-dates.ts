import { daysInMonth } from '../civil-date.ts'
import { DEFAULT_PIVOT } from '../date-text.ts'
import type { DateOrder, DateReading } from './options.ts'

/** A number of a date. */
export interface DatePart {
  readonly value: number
  readonly digits: string
  /** An apostrophe before it says that it is a year. */
  readonly isYear: boolean
}

/** A day of a year, by numbers. */
export interface NumericDay {
  readonly year: number
  readonly month: number
  readonly day: number
}

const LAST_FIRST = ['dmy', 'mdy'] as const
const YEAR_FIRST = ['ymd', 'ydm'] as const
const ANY_ORDER = ['dmy', 'mdy', 'ymd', 'ydm'] as const

/** A year of two digits by the pivot, one of four as it is; undefined for other lengths. */
export function yearOf({ value, digits }: DatePart, { pivot = DEFAULT_PIVOT, calendar }: DateReading) {
  if (digits.length === 4) return value
  if (digits.length !== 2) return undefined
  if (calendar === 'buddhist') return value + 2500
  return value + (value < pivot ? 2000 : 1900)
}

/** True for a number that can only be a year. */
export function isCertainYear({ value, digits, isYear }: DatePart): boolean {
  return isYear || digits.length > 2 || value > 31
}

function isDay({ year, month, day }: NumericDay, { calendar }: DateReading): boolean {
  if (month < 1 || month > 12 || day < 1) return false
  return day <= daysInMonth(calendar === 'buddhist' ? year - 543 : year, month)
}

function inOrder(parts: readonly [DatePart, DatePart, DatePart], order: DateOrder, options: DateReading) {
  const at = (letter: string): DatePart => parts[order.indexOf(letter) === 0 ? 0 : order.indexOf(letter) === 1 ? 1 : 2]
  const [month, day] = [at('m'), at('d')]
  const year = yearOf(at('y'), options)
  if (year === undefined || isCertainYear(month) || isCertainYear(day)) return []
  const read = { year, month: month.value, day: day.value }
  return isDay(read, options) ? [read] : []
}

/** The order that the arguments give for a separator, and whether they name that separator. */
export function orderFor(separator: string, { order, orders = [] }: DateReading) {
  const named = orders.find((one) => one.separator === separator.slice(0, 1))
  return { order: named?.order ?? order, isNamed: named !== undefined }
}

/** Orders in which three numbers can be read, without regard to the arguments. */
function possibleOrders([first, , last]: readonly [DatePart, DatePart, DatePart]): readonly DateOrder[] {
  if (isCertainYear(first)) return YEAR_FIRST
  return isCertainYear(last) ? LAST_FIRST : ANY_ORDER
}

/**
 * Returns the days that three numbers can be: one where the order or the numbers settle it. A named separator's order
 * is binding; the general order gives way where it names no day.
 */
export function threeNumbers(
  parts: readonly [DatePart, DatePart, DatePart],
  separator: string,
  options: DateReading,
): NumericDay[] {
  const possible = possibleOrders(parts)
  const { order, isNamed } = orderFor(separator, options)
  // Nothing but an explicit order puts the day between the year and the month.
  const preferred =
    order !== undefined && possible.includes(order) ? order : possible === YEAR_FIRST ? 'ymd' : undefined
  const first = preferred === undefined ? [] : inOrder(parts, preferred, options)
  if (first.length > 0 || (isNamed && preferred === order)) return first
  return possible.filter((one) => one !== 'ydm' || order === 'ydm').flatMap((one) => inOrder(parts, one, options))
}

/** Returns the day and month that two numbers can be. */
export function twoNumbers(first: DatePart, last: DatePart, separator: string, options: DateReading) {
  const leap = 2000
  const read = (day: DatePart, month: DatePart) => {
    const found = { year: leap, month: month.value, day: day.value }
    return isDay(found, {}) ? [{ month: month.value, day: day.value }] : []
  }
  const { order, isNamed } = orderFor(separator, options)
  const [dayFirst, monthFirst] = [read(first, last), read(last, first)]
  if (order === undefined) return [...dayFirst, ...monthFirst]
  const preferred = order === 'dmy' || order === 'ydm' ? dayFirst : monthFirst
  return preferred.length > 0 || isNamed ? preferred : order === 'dmy' || order === 'ydm' ? monthFirst : dayFirst
}

const COMPACT_WIDTHS: Readonly<Record<DateOrder, string>> = { dmy: 'ddmmy', mdy: 'mmddy', ymd: 'ymmdd', ydm: 'yddmm' }

/** Returns the day of six or eight digits without separators: year, month and day unless the arguments say otherwise. */
export function compactDay(digits: string, options: DateReading): NumericDay[] {
  const named = options.orders?.find(({ separator }) => separator === '')?.order ?? 'ymd'
  const letters = COMPACT_WIDTHS[named].replace('y', 'y'.repeat(digits.length - 4))
  const part = (letter: string): DatePart => {
    const text = digits.slice(letters.indexOf(letter), letters.lastIndexOf(letter) + 1)
    return { value: Number(text), digits: text, isYear: false }
  }
  const year = yearOf(part('y'), options)
  const read = { year: year ?? 0, month: part('m').value, day: part('d').value }
  return year !== undefined && isDay(read, options) ? [read] : []
}
