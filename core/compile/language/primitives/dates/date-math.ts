import type { DatePart, DatePeriod, TimeUnit } from '../../names.ts'
import {
  CivilDate,
  checkDate,
  dayOfYear,
  daysInMonth,
  fromCivilMs,
  isoWeekOf,
  MS_PER_DAY,
  timeOfDayMs,
  toCivilMs,
  toInstantMs,
  weekdayOf,
} from './civil-date.ts'

/** Milliseconds of the units that have a fixed length. */
export const UNIT_MS = {
  weeks: 7 * MS_PER_DAY,
  days: MS_PER_DAY,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1000,
  milliseconds: 1,
} as const

/** Months of the longer units. */
export const UNIT_MONTHS = { years: 12, quarters: 3, months: 1 } as const

function addMonths(date: CivilDate, months: number): CivilDate | undefined {
  const total = date.year * 12 + date.month - 1 + months
  const year = Math.floor(total / 12)
  const month = total - year * 12 + 1
  if (!(year >= 1 && year <= 9999)) return undefined
  const day = Math.min(date.day, daysInMonth(year, month))
  const { hour, minute, second, millisecond, offsetMinutes } = date
  return new CivilDate(year, month, day, hour, minute, second, millisecond, offsetMinutes)
}

/**
 * Adds units of civil time. Months, quarters and years need a whole amount and keep the day where the month has it,
 * else take the month's last; other units may be fractions and are rounded to milliseconds, ties up.
 * Undefined outside the years 1 to 9999.
 */
export function addToDate(date: CivilDate, amount: number, unit: TimeUnit): CivilDate | undefined {
  if (unit === 'years' || unit === 'quarters' || unit === 'months') {
    return Number.isInteger(amount) ? addMonths(date, amount * UNIT_MONTHS[unit]) : undefined
  }
  return fromCivilMs(toCivilMs(date) + Math.round(amount * UNIT_MS[unit]), date.offsetMinutes)
}

/** The first millisecond of the period the date is in. Weeks start on Monday. */
export function startOfPeriod(date: CivilDate, period: DatePeriod): CivilDate | undefined {
  const { year, month, day, offsetMinutes: offset } = date
  switch (period) {
    case 'year':
      return new CivilDate(year, 1, 1, 0, 0, 0, 0, offset)
    case 'quarter':
      return new CivilDate(year, month - ((month - 1) % 3), 1, 0, 0, 0, 0, offset)
    case 'month':
      return new CivilDate(year, month, 1, 0, 0, 0, 0, offset)
    case 'week':
      return fromCivilMs(toCivilMs(date) - timeOfDayMs(date) - (weekdayOf(date) - 1) * MS_PER_DAY, offset)
    case 'day':
      return new CivilDate(year, month, day, 0, 0, 0, 0, offset)
    case 'hour':
      return new CivilDate(year, month, day, date.hour, 0, 0, 0, offset)
    case 'minute':
      return new CivilDate(year, month, day, date.hour, date.minute, 0, 0, offset)
    case 'second':
      return new CivilDate(year, month, day, date.hour, date.minute, date.second, 0, offset)
  }
}

/** The last millisecond of the period the date is in. */
export function endOfPeriod(date: CivilDate, period: DatePeriod): CivilDate | undefined {
  const start = startOfPeriod(date, period)
  if (start === undefined) return undefined
  if (period === 'year') return new CivilDate(date.year, 12, 31, 23, 59, 59, 999, date.offsetMinutes)
  if (period === 'quarter' || period === 'month') {
    const month = period === 'month' ? start.month : start.month + 2
    const last = daysInMonth(start.year, month)
    return new CivilDate(start.year, month, last, 23, 59, 59, 999, date.offsetMinutes)
  }
  const unit = `${period}s` as const
  return fromCivilMs(toCivilMs(start) + UNIT_MS[unit] - 1, date.offsetMinutes)
}

/** The same instant at an offset; a date without an offset is taken as UTC. */
export function moveToOffset(date: CivilDate, offsetMinutes: number): CivilDate | undefined {
  return fromCivilMs(toInstantMs(date) + offsetMinutes * 60_000, offsetMinutes)
}

/** Months from one date to a later one: a month counts when the day and time of the first are reached. */
function wholeMonths(from: CivilDate, to: CivilDate): number {
  const months = (to.year - from.year) * 12 + to.month - from.month
  const isReached = to.day > from.day || (to.day === from.day && timeOfDayMs(to) >= timeOfDayMs(from))
  return isReached ? months : months - 1
}

/** Whole units from one date to another, towards zero. Both are instants; where only one has an offset, both are taken at it. */
export function differenceOf(from: CivilDate, to: CivilDate, unit: TimeUnit): number | undefined {
  const offset = from.offsetMinutes ?? to.offsetMinutes
  const start = from.offsetMinutes === undefined ? toCivilMs(from) : toInstantMs(from) + (offset ?? 0) * 60_000
  const end = to.offsetMinutes === undefined ? toCivilMs(to) : toInstantMs(to) + (offset ?? 0) * 60_000
  if (unit !== 'years' && unit !== 'quarters' && unit !== 'months') {
    const whole = Math.trunc((end - start) / UNIT_MS[unit])
    return whole === 0 ? 0 : whole
  }
  const first = fromCivilMs(Math.min(start, end))
  const last = fromCivilMs(Math.max(start, end))
  if (first === undefined || last === undefined) return undefined
  const whole = Math.floor(wholeMonths(first, last) / UNIT_MONTHS[unit])
  return whole !== 0 && start > end ? -whole : whole
}

/** One component of a date; undefined for the offset of a date without one. */
export function partOf(date: CivilDate, part: DatePart): number | undefined {
  switch (part) {
    case 'year':
    case 'month':
    case 'day':
    case 'hour':
    case 'minute':
    case 'second':
    case 'millisecond':
    case 'offsetMinutes':
      return date[part]
    case 'quarter':
      return Math.ceil(date.month / 3)
    case 'weekday':
      return weekdayOf(date)
    case 'dayOfYear':
      return dayOfYear(date)
    case 'isoWeek':
      return isoWeekOf(date).week
    case 'isoWeekYear':
      return isoWeekOf(date).year
    case 'daysInMonth':
      return daysInMonth(date.year, date.month)
    case 'unixSeconds':
      return Math.floor(toInstantMs(date) / 1000)
    case 'unixMilliseconds':
      return toInstantMs(date)
  }
}

/** The UTC date of a Unix time; a fraction of a millisecond is cut off. */
export function fromUnixTime(value: number, unit: 'seconds' | 'milliseconds'): CivilDate | undefined {
  return fromCivilMs(Math.floor(unit === 'seconds' ? value * 1000 : value), 0)
}

/** A date from its parts, when there is such a day. */
export function makeCivilDate(year: number, month: number, day: number): CivilDate | undefined {
  if (!Number.isInteger(year) || !Number.isInteger(month) || !Number.isInteger(day)) return undefined
  return checkDate(new CivilDate(year, month, day))
}
