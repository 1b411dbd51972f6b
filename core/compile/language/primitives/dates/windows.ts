import type { TimeUnit } from '../../names.ts'
import { CivilDate, daysInMonth, fromCivilMs, MS_PER_DAY, toCivilMs, toEpochDay, weekdayOf } from './civil-date.ts'

const MONTHS = { months: 1, quarters: 3, years: 12 } as const
const MILLISECONDS = {
  weeks: 7 * MS_PER_DAY,
  days: MS_PER_DAY,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1000,
  milliseconds: 1,
} as const
/** A Monday, from which weeks are counted. */
const FIRST_MONDAY = toEpochDay(1970, 1, 5) * MS_PER_DAY

/** Equal parts of time, one after the other without gaps. */
export interface TimeWindows {
  /** Length in units, a whole number above 0. */
  readonly step: number
  readonly unit: TimeUnit
  /** Units by which the windows are moved from where they are counted from; a whole number. */
  readonly offset: number
}

function areWindows({ step, offset }: TimeWindows): boolean {
  return Number.isSafeInteger(step) && step >= 1 && Number.isSafeInteger(offset)
}

function monthStart(months: number, offsetMinutes: number | undefined): CivilDate | undefined {
  const year = Math.floor(months / 12)
  if (!(year >= 1 && year <= 9999)) return undefined
  return new CivilDate(year, months - year * 12 + 1, 1, 0, 0, 0, 0, offsetMinutes)
}

/** The start of the window that is `ahead` windows after the one that holds the date. */
function boundary(date: CivilDate, windows: TimeWindows, ahead: 0 | 1): CivilDate | undefined {
  if (!areWindows(windows)) return undefined
  const { step, unit, offset } = windows
  if (unit === 'months' || unit === 'quarters' || unit === 'years') {
    const [size, moved] = [step * MONTHS[unit], offset * MONTHS[unit]]
    const month = date.year * 12 + date.month - 1
    return monthStart((Math.floor((month - moved) / size) + ahead) * size + moved, date.offsetMinutes)
  }
  const size = step * MILLISECONDS[unit]
  const moved = offset * MILLISECONDS[unit] + (unit === 'weeks' ? FIRST_MONDAY : 0)
  return fromCivilMs((Math.floor((toCivilMs(date) - moved) / size) + ahead) * size + moved, date.offsetMinutes)
}

/**
 * The start of the window that holds a date. Months, quarters and years are counted from January of the year 0, weeks
 * from a Monday, other units from 1970-01-01 00:00. Undefined for a step below 1 or outside the years 1 to 9999.
 */
export function windowStartOf(date: CivilDate, windows: TimeWindows): CivilDate | undefined {
  return boundary(date, windows, 0)
}

/** The start of the next window. */
export function windowEndOf(date: CivilDate, windows: TimeWindows): CivilDate | undefined {
  return boundary(date, windows, 1)
}

/**
 * The n-th weekday (1 Monday to 7 Sunday) of the month of a date, at 00:00; a negative n counts from the last. Undefined
 * when the month has none.
 */
export function nthWeekdayOf(date: CivilDate, weekday: number, n: number): CivilDate | undefined {
  if (!Number.isInteger(weekday) || weekday < 1 || weekday > 7 || !Number.isInteger(n) || n === 0) return undefined
  const { year, month, offsetMinutes } = date
  const last = daysInMonth(year, month)
  const first = weekdayOf(new CivilDate(year, month, 1))
  const firstDay = 1 + ((weekday - first + 7) % 7)
  const count = Math.floor((last - firstDay) / 7) + 1
  const at = n > 0 ? n - 1 : count + n
  if (at < 0 || at >= count) return undefined
  return new CivilDate(year, month, firstDay + 7 * at, 0, 0, 0, 0, offsetMinutes)
}
