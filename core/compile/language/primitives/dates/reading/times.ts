import type { Item, TokenReader } from './cursor.ts'
import type { DateFields } from './fields.ts'

const MAX_OFFSET_HOURS = 14
const MAX_FRACTION = 9

/** A number of one or two digits below a limit. */
function smallNumber(reader: TokenReader, at: number, below: number, width?: number): number | undefined {
  const number = reader.numberAt(at)
  if (number === undefined || number.isYear || number.digits.length > 2 || number.value >= below) return undefined
  return width !== undefined && number.digits.length !== width ? undefined : number.value
}

function milliseconds(digits: string): number {
  return Number(digits.padEnd(3, '0').slice(0, 3))
}

/** Reads `.5` or `,123` after seconds. */
function withFraction(reader: TokenReader, at: number, fields: DateFields): Item {
  const number = reader.numberAt(at + 1)
  const isFraction = (reader.isTight(at, '.') || reader.isTight(at, ',')) && number !== undefined
  return isFraction && number.digits.length <= MAX_FRACTION
    ? { next: at + 2, fields: { ...fields, millisecond: milliseconds(number.digits) } }
    : { next: at, fields }
}

/** `10:30`, `10:30:15.5`, and with dots `10.30`, `10.30.15`. */
function clockTime(reader: TokenReader, at: number, mark: ':' | '.'): Item[] {
  const hour = smallNumber(reader, at, 25)
  const minute = smallNumber(reader, at + 2, 60, mark === '.' ? 2 : undefined)
  if (hour === undefined || minute === undefined || !reader.isTight(at + 1, mark)) return []
  const fields: DateFields = { hour, minute, ...(mark === '.' ? { isDotted: true } : {}) }
  const second = reader.isTight(at + 3, mark) ? smallNumber(reader, at + 4, 60, 2) : undefined
  if (second === undefined) return reader.isTight(at + 3, ':') ? [] : [{ next: at + 3, fields }]
  return [withFraction(reader, at + 5, { ...fields, second })]
}

/** `14h`, `14h30`, `14 h 30 min 5 s`, and the same with the marks of other scripts. */
function markedTime(reader: TokenReader, at: number): Item[] {
  const unitAt = (place: number) => reader.meaningAt(reader.afterSpace(place), 'unit')?.unit
  const hour = smallNumber(reader, at, 25)
  if (hour === undefined || unitAt(at + 1) !== 'hour') return []
  const afterHour = reader.afterSpace(at + 1) + 1
  const minuteAt = reader.afterSpace(afterHour)
  const minute = smallNumber(reader, minuteAt, 60)
  if (minute === undefined) return [{ next: afterHour, fields: { hour } }]
  if (unitAt(minuteAt + 1) !== 'minute') {
    const isWhole = reader.numberAt(minuteAt)?.digits.length === 2
    return isWhole ? [{ next: minuteAt + 1, fields: { hour, minute } }] : []
  }
  const afterMinute = reader.afterSpace(minuteAt + 1) + 1
  const secondAt = reader.afterSpace(afterMinute)
  const second = smallNumber(reader, secondAt, 60)
  if (second === undefined || unitAt(secondAt + 1) !== 'second')
    return [{ next: afterMinute, fields: { hour, minute } }]
  return [{ next: reader.afterSpace(secondAt + 1) + 1, fields: { hour, minute, second } }]
}

/** Four or six digits after a date: `T1015`, `T101530.5`. */
export function compactTime(reader: TokenReader, at: number): Item[] {
  const digits = reader.numberAt(at)?.digits ?? ''
  if (digits.length !== 4 && digits.length !== 6) return []
  const [hour, minute, second] = [0, 2, 4].map((from) => Number(digits.slice(from, from + 2)))
  if (hour === undefined || hour > 23 || minute === undefined || minute > 59 || (second ?? 0) > 59) return []
  const fields: DateFields = { hour, minute, second: second ?? 0 }
  return withZones(reader, digits.length === 6 ? withFraction(reader, at + 1, fields) : { next: at + 1, fields })
}

function hours(reader: TokenReader, at: number): Item[] {
  const hour = smallNumber(reader, at, 25)
  return hour === undefined ? [] : [{ next: at + 1, fields: { hour } }]
}

function withHalf(reader: TokenReader, item: Item): Item[] {
  const place = reader.afterSpace(item.next)
  // `3:50 ч. am`
  const at = reader.isWord(place) && reader.meaningAt(place, 'half') === undefined ? reader.afterDot(place + 1) : place
  const half = reader.meaningAt(at, 'half')
  return half === undefined ? [] : [{ next: at + 1, fields: { ...item.fields, isAfternoon: half.isAfternoon } }]
}

/** The offset that starts at a sign: `+02:00`, `-0500`, `+02`, and `+2` after `GMT`. */
function signedOffset(reader: TokenReader, at: number, isAfterName: boolean): { next: number; offset: number }[] {
  const sign = reader.separatorAt(at)
  const number = reader.numberAt(at + 1)
  if (sign === undefined || number === undefined || sign.isSpacedAfter) return []
  if (sign.text !== '+' && sign.text !== '-') return []
  const { digits } = number
  if (digits.length > 4 || digits.length === 3 || (digits.length === 1 && !isAfterName)) return []
  const hour = Number(digits.length === 4 ? digits.slice(0, 2) : digits)
  const isSplit = digits.length < 4 && reader.isTight(at + 2, ':')
  const minute = isSplit ? smallNumber(reader, at + 3, 60, 2) : digits.length === 4 ? Number(digits.slice(2)) : 0
  if (minute === undefined || minute > 59 || hour > MAX_OFFSET_HOURS) return []
  const size = hour * 60 + minute
  return [{ next: at + (isSplit ? 4 : 2), offset: sign.text === '-' && size !== 0 ? -size : size }]
}

/** A time alone, and with the offset from UTC that follows it. */
function withZones(reader: TokenReader, item: Item): Item[] {
  const { fields } = item
  const at = reader.afterSpace(item.next)
  const isNamed = reader.meaningAt(at, 'UTC') !== undefined
  const offsets = signedOffset(reader, isNamed ? at + 1 : item.next, isNamed)
  if (isNamed) offsets.push({ next: at + 1, offset: 0 })
  return [item, ...offsets.map(({ next, offset }) => ({ next, fields: { ...fields, offset } }))]
}

/** The times that start at a number, or at a half of the day before one. */
export function timesAt(reader: TokenReader, at: number): Item[] {
  const half = reader.meaningAt(at, 'half')
  if (half !== undefined) {
    const start = reader.afterDot(at + 1)
    return [...clocksAt(reader, start), ...hours(reader, start)].flatMap(({ next, fields }) =>
      withZones(reader, { next, fields: { ...fields, isAfternoon: half.isAfternoon } }),
    )
  }
  const clocks = clocksAt(reader, at)
  const halved = [...clocks, ...hours(reader, at)].flatMap((item) => withHalf(reader, item))
  return [...clocks, ...halved].flatMap((item) => withZones(reader, item))
}

function clocksAt(reader: TokenReader, at: number): Item[] {
  return [...clockTime(reader, at, ':'), ...clockTime(reader, at, '.'), ...markedTime(reader, at)]
}
