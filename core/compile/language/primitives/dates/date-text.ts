import { checkDate, CivilDate, dayOfYear, isoWeekOf, weekdayOf } from './civil-date.ts'
import type { DateElement, DateLetter } from './date-pattern.ts'

/** Two-digit years below it are 20yy, the others 19yy (POSIX `strptime`). */
export const DEFAULT_PIVOT = 69

export const MONTH_NAMES: readonly string[] =
  'January February March April May June July August September October November December'.split(' ')
export const WEEKDAY_NAMES: readonly string[] = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')

const MONTHS_LOWER = MONTH_NAMES.map((name) => name.toLowerCase())
const WEEKDAYS_LOWER = WEEKDAY_NAMES.map((name) => name.toLowerCase())

interface ReadFields {
  at: number
  year: number
  month: number
  day: number
  hour: number
  hour12: number
  isAfternoon: boolean | undefined
  minute: number
  second: number
  millisecond: number
  weekday: number
  offset: number | undefined
}

/** Reads `least` to `most` digits; -1 when there are fewer. */
function readDigits(text: string, fields: ReadFields, least: number, most: number): number {
  let value = 0
  let count = 0
  while (count < most) {
    const digit = text.charCodeAt(fields.at + count) - 48
    if (!(digit >= 0 && digit <= 9)) break
    value = value * 10 + digit
    count++
  }
  if (count < least) return -1
  fields.at += count
  return value
}

/** Reads a name of the list in any case, in full or its first `width` letters; its number from 1, or -1. */
function readName(text: string, fields: ReadFields, names: readonly string[], width: number): number {
  const lower = text.slice(fields.at, fields.at + 9).toLowerCase()
  for (const [index, name] of names.entries()) {
    const wanted = width === 0 ? name : name.slice(0, width)
    if (!lower.startsWith(wanted)) continue
    // The one abbreviation of four letters in common use.
    fields.at += width === 3 && lower.startsWith('sept') && wanted === 'sep' ? 4 : wanted.length
    return index + 1
  }
  return -1
}

function readHalf(text: string, fields: ReadFields): boolean {
  const found = /^([ap])(?:m|\.m\.)/i.exec(text.slice(fields.at, fields.at + 4))
  if (found === null) return false
  fields.isAfternoon = found[1]?.toLowerCase() === 'p'
  fields.at += found[0].length
  return true
}

function readOffset(text: string, fields: ReadFields, hasColon: boolean, mayBeZ: boolean): boolean {
  const sign = text.charAt(fields.at)
  if (sign === 'Z' && mayBeZ) {
    fields.at++
    fields.offset = 0
    return true
  }
  if (sign !== '+' && sign !== '-') return false
  fields.at++
  const hours = readDigits(text, fields, 2, 2)
  if (hasColon && text.charAt(fields.at++) !== ':') return false
  const minutes = readDigits(text, fields, 2, 2)
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return false
  const offset = hours * 60 + minutes
  fields.offset = sign === '-' && offset !== 0 ? -offset : offset
  return true
}

function readOrdinalSuffix(text: string, fields: ReadFields): boolean {
  const found = text.slice(fields.at, fields.at + 2).toLowerCase()
  if (found !== ordinalSuffix(fields.day)) return false
  fields.at += 2
  return true
}

function ordinalSuffix(day: number): string {
  if (day >= 11 && day <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
}

function readLetter(text: string, letter: DateLetter, fields: ReadFields, pivot: number): boolean {
  switch (letter) {
    case 'yyyy':
      return (fields.year = readDigits(text, fields, 4, 4)) >= 0
    case 'yy': {
      const year = readDigits(text, fields, 2, 2)
      fields.year = year + (year < pivot ? 2000 : 1900)
      return year >= 0
    }
    case 'MMMM':
      return (fields.month = readName(text, fields, MONTHS_LOWER, 0)) > 0
    case 'MMM':
      return (fields.month = readName(text, fields, MONTHS_LOWER, 3)) > 0
    case 'MM':
    case 'M':
      return (fields.month = readDigits(text, fields, letter.length, 2)) >= 0
    case 'do':
      return (fields.day = readDigits(text, fields, 1, 2)) >= 0 && readOrdinalSuffix(text, fields)
    case 'dd':
    case 'd':
      return (fields.day = readDigits(text, fields, letter.length, 2)) >= 0
    case 'EEEE':
      return (fields.weekday = readName(text, fields, WEEKDAYS_LOWER, 0)) > 0
    case 'EEE':
      return (fields.weekday = readName(text, fields, WEEKDAYS_LOWER, 3)) > 0
    case 'HH':
    case 'H':
      return (fields.hour = readDigits(text, fields, letter.length, 2)) >= 0
    case 'hh':
    case 'h':
      fields.hour12 = readDigits(text, fields, letter.length, 2)
      return fields.hour12 >= 1 && fields.hour12 <= 12
    case 'mm':
    case 'm':
      return (fields.minute = readDigits(text, fields, letter.length, 2)) >= 0
    case 'ss':
    case 's':
      return (fields.second = readDigits(text, fields, letter.length, 2)) >= 0
    case 'SSS':
    case 'SS':
    case 'S': {
      const value = readDigits(text, fields, letter.length, letter.length)
      fields.millisecond = value * 10 ** (3 - letter.length)
      return value >= 0
    }
    case 'a':
    case 'aa':
    case 'aaaa':
      return readHalf(text, fields)
    case 'XXX':
      return readOffset(text, fields, true, true)
    case 'XX':
      return readOffset(text, fields, false, true)
    case 'xxx':
      return readOffset(text, fields, true, false)
    default:
      return false
  }
}

/**
 * Reads a date that fills the whole text. Names are read in any case; fields absent from the pattern default to
 * 1970-01-01 00:00:00.000. Undefined when the text does not fit, the day does not exist or the weekday does not match.
 */
export function parseDateText(
  text: string,
  elements: readonly DateElement[],
  pivot = DEFAULT_PIVOT,
): CivilDate | undefined {
  const fields: ReadFields = {
    at: 0,
    year: 1970,
    month: 1,
    day: 1,
    hour: 0,
    hour12: 0,
    isAfternoon: undefined,
    minute: 0,
    second: 0,
    millisecond: 0,
    weekday: 0,
    offset: undefined,
  }
  for (const element of elements) {
    if ('text' in element) {
      if (!text.startsWith(element.text, fields.at)) return undefined
      fields.at += element.text.length
    } else if (!readLetter(text, element.letter, fields, pivot)) return undefined
  }
  if (fields.at !== text.length) return undefined
  const hour = fields.hour12 === 0 ? fields.hour : (fields.hour12 % 12) + (fields.isAfternoon === true ? 12 : 0)
  const { year, month, day, minute, second, millisecond } = fields
  const date = checkDate(new CivilDate(year, month, day, hour, minute, second, millisecond, fields.offset))
  if (date === undefined || (fields.weekday > 0 && fields.weekday !== weekdayOf(date))) return undefined
  return date
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}

function formatOffset(date: CivilDate, colon: string, hasZ: boolean): string | undefined {
  const offset = date.offsetMinutes
  if (offset === undefined) return undefined
  if (offset === 0 && hasZ) return 'Z'
  const minutes = Math.abs(offset)
  return (offset < 0 ? '-' : '+') + pad(Math.floor(minutes / 60), 2) + colon + pad(minutes % 60, 2)
}

function formatLetter(date: CivilDate, letter: DateLetter): string | undefined {
  const hour12 = date.hour % 12 === 0 ? 12 : date.hour % 12
  switch (letter) {
    case 'yyyy':
      return pad(date.year, 4)
    case 'yy':
      return pad(date.year % 100, 2)
    case 'MMMM':
      return MONTH_NAMES[date.month - 1]
    case 'MMM':
      return MONTH_NAMES[date.month - 1]?.slice(0, 3)
    case 'MM':
      return pad(date.month, 2)
    case 'M':
      return String(date.month)
    case 'do':
      return date.day + ordinalSuffix(date.day)
    case 'dd':
      return pad(date.day, 2)
    case 'd':
      return String(date.day)
    case 'EEEE':
      return WEEKDAY_NAMES[weekdayOf(date) - 1]
    case 'EEE':
      return WEEKDAY_NAMES[weekdayOf(date) - 1]?.slice(0, 3)
    case 'HH':
    case 'H':
      return pad(date.hour, letter.length)
    case 'hh':
    case 'h':
      return pad(hour12, letter.length)
    case 'mm':
    case 'm':
      return pad(date.minute, letter.length)
    case 'ss':
    case 's':
      return pad(date.second, letter.length)
    case 'SSS':
    case 'SS':
    case 'S':
      return pad(date.millisecond, 3).slice(0, letter.length)
    case 'a':
      return date.hour < 12 ? 'AM' : 'PM'
    case 'aa':
      return date.hour < 12 ? 'am' : 'pm'
    case 'aaaa':
      return date.hour < 12 ? 'a.m.' : 'p.m.'
    case 'XXX':
      return formatOffset(date, ':', true)
    case 'XX':
      return formatOffset(date, '', true)
    case 'xxx':
      return formatOffset(date, ':', false)
    case 'DDD':
      return pad(dayOfYear(date), 3)
    case 'D':
      return String(dayOfYear(date))
    case 'Q':
      return String(Math.ceil(date.month / 3))
    case 'YYYY':
      return pad(isoWeekOf(date).year, 4)
    case 'ww':
      return pad(isoWeekOf(date).week, 2)
    case 'w':
      return String(isoWeekOf(date).week)
    case 'e':
      return String(weekdayOf(date))
  }
}

/** Writes a date by a pattern; undefined when the pattern asks for an offset and the date has none. */
export function formatDateText(date: CivilDate, elements: readonly DateElement[]): string | undefined {
  let out = ''
  for (const element of elements) {
    const part = 'text' in element ? element.text : formatLetter(date, element.letter)
    if (part === undefined) return undefined
    out += part
  }
  return out
}
