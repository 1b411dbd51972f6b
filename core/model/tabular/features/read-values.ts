import { canonicalJson, isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Path } from '../recipe/tabular-recipe.ts'

/** Numbers are held inside this bound, so that sums of their squares stay finite. */
const LARGEST = 1e100
const NUMBER_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const MAX_NUMBER_CHARS = 400
const DATE_TEXT = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/
const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const
const DAYS_OF = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const
/** Days from 1 January of the year 0 to 1 January 1970 (proleptic Gregorian). */
const EPOCH = 719_528

/** The value at a path; undefined when the input ends before it. */
export function valueAt(input: Json, path: Path): Json | undefined {
  let value: Json | undefined = input
  for (const step of path) {
    if (typeof step === 'number') value = Array.isArray(value) ? value[step] : undefined
    else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
    if (value === undefined) return undefined
  }
  return value
}

/** True for a place without a value: absent, null, or a text of white space. */
export function isMissing(value: Json | undefined): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

/** A number, or a text that writes a decimal number; NaN for everything else, also for the text `NaN`. */
export function readNumber(value: Json | undefined): number {
  let number = NaN
  if (typeof value === 'number') number = value
  else if (typeof value === 'string' && value.length <= MAX_NUMBER_CHARS) {
    const text = value.trim()
    if (NUMBER_TEXT.test(text)) number = Number(text)
  }
  // A sum of -0 and 0 may print in two ways.
  return Math.max(-LARGEST, Math.min(LARGEST, number)) + 0
}

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
  if (typeof value !== 'string') return undefined
  const found = DATE_TEXT.exec(value.trim())
  if (found === null) return undefined
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((text) => Number(text ?? 0))
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

/** The name of a value as a category: its canonical JSON, a text without white space at its ends. */
export function categoryOf(value: Json): string {
  return canonicalJson(typeof value === 'string' ? value.trim() : value)
}
