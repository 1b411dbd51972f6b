import { dayFields, type Item, type TokenReader } from './cursor.ts'
import type { DateFields } from './fields.ts'
import { compactDay, type DatePart, isCertainYear, threeNumbers, twoNumbers, yearOf } from './numeric-dates.ts'

/** Number of a day, with the letters of an ordinal behind it. */
function afterDay(reader: TokenReader, at: number): number {
  return reader.meaningAt(at + 1, 'ordinal') === undefined ? at + 1 : at + 2
}

function isDayNumber(part: DatePart | undefined): part is DatePart {
  return part !== undefined && !isCertainYear(part) && part.value >= 1 && part.digits.length <= 2
}

function yearFields(reader: TokenReader, part: DatePart): DateFields | undefined {
  const year = yearOf(part, reader.options)
  return year === undefined ? undefined : { year, ...(part.digits.length === 2 ? { isShortYear: true } : {}) }
}

/** A day and month, and the same with the year that follows. */
function withYear(reader: TokenReader, item: Item): Item[] {
  const at = reader.afterWords(item.next)
  const part = reader.numberAt(at)
  const year = part === undefined || reader.isTight(at + 1, ':') ? undefined : yearFields(reader, part)
  return year === undefined ? [item] : [item, { next: at + 1, fields: { ...item.fields, ...year } }]
}

/** The parts that start with the name of a month: a month, its day or year, or all three. */
export function monthsAt(reader: TokenReader, at: number, month: DateFields): Item[] {
  const place = reader.afterWords(at + 1)
  const part = reader.numberAt(place)
  const items: Item[] = [{ next: at + 1, fields: month }]
  if (part === undefined) return items
  if (isDayNumber(part) && !reader.isTight(place + 1, ':'))
    items.push(...withYear(reader, { next: afterDay(reader, place), fields: { ...month, day: part.value } }))
  else if (isCertainYear(part)) {
    const year = yearFields(reader, part)
    if (year !== undefined) items.push({ next: place + 1, fields: { ...month, ...year } })
  }
  return items
}

/** `31 January 2024`, `31st of January`, `2024 January 31`. */
function numberBeforeMonth(reader: TokenReader, at: number, part: DatePart): Item[] {
  const afterNumber = isDayNumber(part) ? afterDay(reader, at) : at + 1
  const place = reader.afterWords(afterNumber)
  return reader.meaningsAt(place).flatMap((meaning): Item[] => {
    if (meaning.kind !== 'month') return []
    const month = nameFields(meaning.kind, meaning.value, meaning.locales, reader)
    if (isDayNumber(part)) return withYear(reader, { next: place + 1, fields: { ...month, day: part.value } })
    const year = yearFields(reader, part)
    if (year === undefined) return []
    const dayAt = reader.afterWords(place + 1)
    const day = reader.numberAt(dayAt)
    const items: Item[] = [{ next: place + 1, fields: { ...month, ...year } }]
    if (isDayNumber(day) && !reader.isTight(dayAt + 1, ':'))
      items.push({ next: afterDay(reader, dayAt), fields: { ...month, ...year, day: day.value } })
    return items
  })
}

/** The fields that a name of a month or weekday gives. */
export function nameFields(kind: 'month' | 'weekday', value: number, locales: number, reader: TokenReader): DateFields {
  const isThai = locales === reader.thai
  return { ...(kind === 'month' ? { month: value } : { weekday: value }), ...(isThai ? { isThai: true } : {}) }
}

/** `2024年`, `1月`, `31日`. */
function markedNumber(reader: TokenReader, at: number, part: DatePart): Item[] {
  const unit = reader.meaningAt(at + 1, 'unit')?.unit
  if (unit === 'year') {
    const year = yearFields(reader, part)
    return year === undefined ? [] : [{ next: at + 2, fields: { ...year, isMarkedYear: true } }]
  }
  if ((unit !== 'month' && unit !== 'day') || part.digits.length > 2) return []
  return [{ next: at + 2, fields: { [unit]: part.value } }]
}

/** Dates of two or three numbers with one separator between them. */
function separatedNumbers(reader: TokenReader, at: number, first: DatePart): Item[] {
  const separator = reader.separatorAt(at + 1)
  const second = reader.numberAt(at + 2)
  if (separator === undefined || second === undefined || /[()[\]+"@]/.test(separator.text)) return []
  const mark = separator.text === '' ? ' ' : separator.text
  const next = reader.separatorAt(at + 3)
  const third = next?.text === separator.text ? reader.numberAt(at + 4) : undefined
  const isClock = mark === ':' && first.digits.length !== 4
  if (third !== undefined && !isClock) {
    const days = threeNumbers([first, second, third], mark, reader.options)
    const found = days.map((day) => ({ next: at + 5, fields: dayFields(day) }))
    if (found.length > 0) return found
  }
  return isClock ? [] : pairOfNumbers(reader, at, mark, first, second)
}

/** `2024-01`, `1/2024`, `2024-031`, `31/1`, `31.1.` */
function pairOfNumbers(reader: TokenReader, at: number, mark: string, first: DatePart, second: DatePart): Item[] {
  const next = at + 3
  if (!'-/. '.includes(mark.slice(0, 1))) return []
  if (first.digits.length === 4 && second.digits.length === 3 && mark === '-')
    return [{ next, fields: { year: first.value, dayOfYear: second.value } }]
  const [year, month] = first.digits.length === 4 ? [first, second] : [second, first]
  if (year.digits.length === 4) {
    const isMonth = month.digits.length <= 2 && month.value >= 1 && month.value <= 12 && mark !== ' '
    return isMonth ? [{ next, fields: { year: year.value, month: month.value } }] : []
  }
  // Two of more numbers that one separator joins are no day and month.
  if (isJoined(reader, at, -1) || isJoined(reader, at + 2, 1)) return []
  const isClosed = reader.separatorAt(next)?.text.startsWith('.') === true
  if (isCertainYear(first) || isCertainYear(second) || (mark !== '/' && mark !== '-' && !(mark === '.' && isClosed)))
    return []
  return twoNumbers(first, second, mark, reader.options).map((fields) => ({ next, fields }))
}

/** Digits without separators: eight or six of a day, seven of a day of the year, more with a time. */
function compactNumber(reader: TokenReader, at: number, { digits }: DatePart): Item[] {
  const { length } = digits
  if (length === 7) {
    const fields = { year: Number(digits.slice(0, 4)), dayOfYear: Number(digits.slice(4)) }
    return [{ next: at + 1, fields }]
  }
  if (length !== 6 && length !== 8 && length !== 12 && length !== 14 && length !== 17) return []
  const time = digits.slice(8)
  const [hour = 0, minute = 0, second = 0] = [0, 2, 4].map((from) => Number(time.slice(from, from + 2)))
  if (hour > 23 || minute > 59 || second > 59) return []
  const clock = time === '' ? {} : { hour, minute, second, millisecond: Number(time.slice(6)) }
  return compactDay(digits.slice(0, 8), reader.options).map((day) => ({
    next: at + 1,
    fields: { ...dayFields(day), ...clock },
  }))
}

/** True when a dash, slash or dot joins a number with the one before or after it. */
function isJoined(reader: TokenReader, at: number, step: 1 | -1): boolean {
  const mark = reader.separatorAt(at + step)?.text.charAt(0) ?? ''
  return mark !== '' && '-/.'.includes(mark) && reader.numberAt(at + 2 * step) !== undefined
}

/** The days, months and years that start at a number. */
export function daysAt(reader: TokenReader, at: number): Item[] {
  const part = reader.numberAt(at)
  if (part === undefined) return []
  const items = [
    ...markedNumber(reader, at, part),
    ...numberBeforeMonth(reader, at, part),
    ...separatedNumbers(reader, at, part),
    ...compactNumber(reader, at, part),
  ]
  if ((part.digits.length === 4 && !isJoined(reader, at, 1) && !isJoined(reader, at, -1)) || part.isYear) {
    const year = yearFields(reader, part)
    if (year !== undefined) items.push({ next: at + 1, fields: year })
  }
  return items
}
