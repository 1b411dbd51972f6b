import { DATE_NEEDS, type DateNeed } from './options.ts'
import { CivilDate, checkDate, daysInMonth, fromCivilMs, MS_PER_DAY, toEpochDay, weekdayOf } from '../civil-date.ts'

/** Parts of a date that a text names; every part at most once. */
export interface DateFields {
  readonly year?: number
  readonly month?: number
  readonly day?: number
  /** 1 Monday to 7 Sunday. */
  readonly weekday?: number
  readonly week?: number
  readonly quarter?: number
  readonly dayOfYear?: number
  readonly hour?: number
  readonly minute?: number
  readonly second?: number
  readonly millisecond?: number
  readonly isAfternoon?: boolean
  readonly offset?: number
  /** A time written with dots, which is one only beside a date or a half of the day. */
  readonly isDotted?: true
  readonly isBuddhist?: true
  /** The year is alone, without a month. */
  readonly isMarkedYear?: true
  /** A name that only Thai has: a year above 2400 beside it is Buddhist, and one of two digits has no reading. */
  readonly isThai?: true
  readonly isShortYear?: true
}

/** Content of a text: a day, a time of the day, or both. */
export type DateContent = 'day' | 'time' | 'both'

/** The years in which a month, a day and a weekday come together once at least. */
const YEARS_TO_TRY = 40
const FIRST_YEAR = 1970

/** Hour of the day; undefined for 25, and for 14 in the morning. */
function hourOf({ hour = 0, isAfternoon }: DateFields): number | undefined {
  if (isAfternoon === undefined) return hour <= 23 ? hour : undefined
  if (hour > 12) return isAfternoon && hour <= 23 ? hour : undefined
  return (hour % 12) + (isAfternoon ? 12 : 0)
}

function dayAt(epochDay: number): CivilDate | undefined {
  return fromCivilMs(epochDay * MS_PER_DAY)
}

/** Monday of week 1 of ISO 8601, as days from 1970-01-01. */
function firstMonday(year: number): number {
  const fourth = toEpochDay(year, 1, 4)
  return fourth - (weekdayOf(new CivilDate(year, 1, 4)) - 1)
}

function dayOfWeekDate(year: number, week: number, weekday: number): CivilDate | undefined {
  const monday = firstMonday(year) + (week - 1) * 7
  return week >= 1 && monday < firstMonday(year + 1) ? dayAt(monday + weekday - 1) : undefined
}

/** The first of the days from the given one on that is on the weekday; that day itself without a weekday. */
function onWeekday(first: number, count: number, weekday: number | undefined): CivilDate | undefined {
  const date = dayAt(first)
  if (date === undefined || weekday === undefined) return date
  const ahead = (weekday - weekdayOf(date) + 7) % 7
  return ahead < count ? dayAt(first + ahead) : undefined
}

function dayInYear(year: number, { month, day, weekday, quarter, dayOfYear }: DateFields): CivilDate | undefined {
  if (dayOfYear !== undefined) {
    const length = toEpochDay(year + 1, 1, 1) - toEpochDay(year, 1, 1)
    return dayOfYear >= 1 && dayOfYear <= length
      ? onWeekday(toEpochDay(year, 1, 1) + dayOfYear - 1, 1, weekday)
      : undefined
  }
  const start = quarter === undefined ? (month ?? 1) : quarter * 3 - 2
  if (start < 1 || start > 12) return undefined
  if (day === undefined) return onWeekday(toEpochDay(year, start, 1), daysInMonth(year, start), weekday)
  if (day < 1 || day > daysInMonth(year, start)) return undefined
  return onWeekday(toEpochDay(year, start, day), 1, weekday)
}

/** The earliest day from 1970-01-01 on that has every part that is named. */
function dayOf(fields: DateFields): CivilDate | undefined {
  const { year, week, weekday } = fields
  if (year !== undefined && (year < 1 || year > 9999)) return undefined
  if (week !== undefined) return year === undefined ? undefined : dayOfWeekDate(year, week, weekday ?? 1)
  if (year !== undefined) return dayInYear(year, fields)
  for (let tried = FIRST_YEAR; tried < FIRST_YEAR + YEARS_TO_TRY; tried++) {
    const found = dayInYear(tried, fields)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns what the parts are about; undefined when they make neither a day nor a time. */
export function contentOf(fields: DateFields): DateContent | undefined {
  const { year, month, day, weekday, week, quarter, dayOfYear, hour } = fields
  const hasYear = year !== undefined
  const isDay =
    month !== undefined ||
    (hasYear && (week !== undefined || quarter !== undefined || dayOfYear !== undefined)) ||
    (hasYear && fields.isMarkedYear === true) ||
    weekday !== undefined
  const isLoose =
    (day !== undefined && month === undefined) ||
    (hasYear && !isDay) ||
    ((week !== undefined || quarter !== undefined) && (!hasYear || month !== undefined)) ||
    (week !== undefined && quarter !== undefined)
  if (isLoose || (fields.offset !== undefined && !isDay)) return undefined
  if (hour === undefined) return isDay && fields.isAfternoon === undefined ? 'day' : undefined
  if (fields.isDotted === true && !isDay && fields.isAfternoon === undefined) return undefined
  return isDay ? 'both' : 'time'
}

/** The parts that a text names itself, rather than those that it is given for its date. */
export function namedParts({
  year,
  month,
  day,
  dayOfYear,
  week,
  weekday,
  quarter,
  hour,
}: DateFields): readonly DateNeed[] {
  const isWeekDay = week !== undefined && weekday !== undefined
  const named: Readonly<Record<DateNeed, boolean>> = {
    year: year !== undefined,
    month: month !== undefined || dayOfYear !== undefined || quarter !== undefined || week !== undefined,
    day: day !== undefined || dayOfYear !== undefined || isWeekDay,
    time: hour !== undefined,
  }
  return DATE_NEEDS.filter((part) => named[part])
}

/** The date and time that the parts name; undefined when there is none. */
export function dateOfFields(fields: DateFields): CivilDate | undefined {
  const hour = hourOf(fields)
  const day = dayOf(fields)
  if (hour === undefined || day === undefined) return undefined
  const { minute = 0, second = 0, millisecond = 0, offset } = fields
  return checkDate(new CivilDate(day.year, day.month, day.day, hour, minute, second, millisecond, offset))
}
