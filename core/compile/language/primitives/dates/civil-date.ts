/** A day and time in the proleptic Gregorian calendar, years 1 to 9999, with or without an offset from UTC. */
export class CivilDate {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
  /** Minutes east of UTC; undefined when the text named no zone. */
  readonly offsetMinutes: number | undefined

  constructor(
    year: number,
    month: number,
    day: number,
    hour = 0,
    minute = 0,
    second = 0,
    millisecond = 0,
    offsetMinutes?: number,
  ) {
    this.year = year
    this.month = month
    this.day = day
    this.hour = hour
    this.minute = minute
    this.second = second
    this.millisecond = millisecond
    this.offsetMinutes = offsetMinutes
  }
}

export const MS_PER_DAY = 86_400_000
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** True for years with a 29th of February. */
export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

/** Days of a month, 28 to 31. */
export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (MONTH_DAYS[month - 1] ?? 0)
}

/** Days from 1970-01-01 (H. Hinnant, "chrono-compatible low-level date algorithms"). */
export function toEpochDay(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** Milliseconds of the civil time from 1970-01-01T00:00, the offset left aside. */
export function toCivilMs(date: CivilDate): number {
  return toEpochDay(date.year, date.month, date.day) * MS_PER_DAY + timeOfDayMs(date)
}

/** Milliseconds since midnight. */
export function timeOfDayMs(date: CivilDate): number {
  return ((date.hour * 60 + date.minute) * 60 + date.second) * 1000 + date.millisecond
}

/** Milliseconds since the Unix epoch; without an offset the time is taken as UTC. */
export function toInstantMs(date: CivilDate): number {
  return toCivilMs(date) - (date.offsetMinutes ?? 0) * 60_000
}

/** The civil time so many milliseconds after 1970-01-01T00:00; undefined outside the years 1 to 9999. */
export function fromCivilMs(ms: number, offsetMinutes?: number): CivilDate | undefined {
  if (!(ms >= -62_135_596_800_000 && ms < 253_402_300_800_000)) return undefined
  const epochDay = Math.floor(ms / MS_PER_DAY)
  let rest = ms - epochDay * MS_PER_DAY
  const z = epochDay + 719_468
  const era = Math.floor(z / 146_097)
  const dayOfEra = z - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const millisecond = rest % 1000
  rest = (rest - millisecond) / 1000
  const second = rest % 60
  rest = (rest - second) / 60
  return new CivilDate(year, month, day, (rest - (rest % 60)) / 60, rest % 60, second, millisecond, offsetMinutes)
}

/** The date when every field is in range (a day that its month has, a year from 1 to 9999), else undefined. */
export function checkDate(date: CivilDate): CivilDate | undefined {
  const isDay =
    date.year >= 1 &&
    date.year <= 9999 &&
    date.month >= 1 &&
    date.month <= 12 &&
    date.day >= 1 &&
    date.day <= daysInMonth(date.year, date.month)
  const isTime = date.hour <= 23 && date.minute <= 59 && date.second <= 59
  return isDay && isTime ? date : undefined
}

/** Day of the week, 1 Monday to 7 Sunday. */
export function weekdayOf(date: CivilDate): number {
  const days = toEpochDay(date.year, date.month, date.day) + 3
  return days - Math.floor(days / 7) * 7 + 1
}

/** Day of the year, from 1. */
export function dayOfYear(date: CivilDate): number {
  return toEpochDay(date.year, date.month, date.day) - toEpochDay(date.year, 1, 1) + 1
}

/** Week of ISO 8601 and the year it belongs to: weeks start on Monday, week 1 holds January 4th. */
export function isoWeekOf(date: CivilDate): { year: number; week: number } {
  const thursday = toEpochDay(date.year, date.month, date.day) - weekdayOf(date) + 4
  let year = date.year
  if (thursday < toEpochDay(year, 1, 1)) year--
  else if (thursday >= toEpochDay(year + 1, 1, 1)) year++
  return { year, week: Math.floor((thursday - toEpochDay(year, 1, 1)) / 7) + 1 }
}
