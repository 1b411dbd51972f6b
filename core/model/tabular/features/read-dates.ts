import type { Json } from '../../../kernel/json/json.ts'

/** Order of day, month and year in the dates of a column: `31/12/2024` is `dmy`. */
export type DateOrder = 'dmy' | 'mdy' | 'ymd'

const TIME = String.raw`(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?`
const ISO_DATE = new RegExp(String.raw`^(\d{4})-(\d\d)-(\d\d)${TIME}$`)
const LOCAL_TIME = String.raw`(?:,? (\d\d?):(\d\d)(?::(\d\d))?)?`
const YEAR_LAST = new RegExp(String.raw`^(\d\d?)([./-])(\d\d?)\2(\d{4}|\d\d)${LOCAL_TIME}$`)
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})([./-])(\d\d?)\2(\d\d?)${LOCAL_TIME}$`)
/** Years of two digits below this one are of the century from 2000 on, others of that from 1900 on (POSIX `%y`). */
const FIRST_OF_1900S = 69
const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const
const DAYS_OF = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const
/** Days from 1 January of the year 0 to 1 January 1970 (proleptic Gregorian). */
const EPOCH = 719_528

/** The features of a date, in local time as it is written. */
export interface DateParts {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  /** 1 (Monday) to 7. */
  readonly weekday: number
  /** Days since 1 January 1970. */
  readonly day: number
  /** Minutes since midnight; 0 for a date without a time. */
  readonly minute: number
}

/** Reads an ISO 8601 date `YYYY-MM-DD`, also with a time of day; undefined for other texts and days that do not exist. */
export function readIsoDate(value: Json | undefined): DateParts | undefined {
  const found = typeof value === 'string' ? ISO_DATE.exec(value.trim()) : null
  if (found === null) return undefined
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((text) => Number(text ?? 0))
  return datePartsOf(year, month, date, [hour, minute, second])
}

/**
 * Reads a date as people write it, its parts by one of `.`, `/` and `-`, also with a time of day: `31.12.24`,
 * `12/31/2024 9:30`. Undefined for other texts and days that do not exist.
 */
export function readLocalDate(value: Json | undefined, order: DateOrder): DateParts | undefined {
  const found = typeof value === 'string' ? (order === 'ymd' ? YEAR_FIRST : YEAR_LAST).exec(value.trim()) : null
  if (found === null) return undefined
  const [, first = '', , second = '', third = ''] = found
  const time = found.slice(5).map((text) => Number(text ?? 0))
  if (order === 'ymd') return datePartsOf(Number(first), Number(second), Number(third), time)
  const [day, month] = order === 'dmy' ? [first, second] : [second, first]
  const short = Number(third)
  const year = third.length > 2 ? short : short + (short < FIRST_OF_1900S ? 2000 : 1900)
  return datePartsOf(year, Number(month), Number(day), time)
}

/** Returns true for a text that ends a date with two digits of its year, such as `31.12.24`. */
export function hasShortYear(text: string): boolean {
  return YEAR_LAST.exec(text.trim())?.[4]?.length === 2
}

function datePartsOf(year: number, month: number, date: number, time: readonly number[]): DateParts | undefined {
  const [hour = 0, minute = 0, second = 0] = time
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const length = (DAYS_OF[month - 1] ?? 0) + (month === 2 && isLeap ? 1 : 0)
  if (date < 1 || date > length || hour > 23 || minute > 59 || second > 60) return undefined
  const before = year - 1
  const leapDays = year === 0 ? 0 : Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) + 1
  const inYear = (DAYS_BEFORE[month - 1] ?? 0) + (month > 2 && isLeap ? 1 : 0) + date - 1
  const day = year * 365 + leapDays + inYear - EPOCH
  // 1 January 1970 was a Thursday.
  return { year, month, weekday: ((((day + 3) % 7) + 7) % 7) + 1, day, minute: hour * 60 + minute }
}
