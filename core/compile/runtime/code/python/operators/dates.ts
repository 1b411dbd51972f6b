import type { Json } from '../../../../../kernel/json/json.ts'
import type { Expr } from '../../../../language/ast.ts'
import type { DATE_READING } from '../../../../language/operators/date-reading.ts'
import type { DATES } from '../../../../language/operators/dates.ts'
import {
  type DateElement,
  type DateLetter,
  readDatePattern,
} from '../../../../language/primitives/dates/date-pattern.ts'
import { DATE, NUMBER, TEXT } from '../../../../language/value-types.ts'
import type { OperatorTable, Writer } from '../../writing/dialect.ts'
import { dateNamesConstant } from '../data.ts'
import { pyConcat, pyString } from '../strings.ts'
import { keywords } from './numbers.ts'

type TableOf<Group> = Pick<OperatorTable, keyof Group & keyof OperatorTable>

function elementsOf(pattern: string): readonly DateElement[] {
  return readDatePattern(pattern) ?? []
}

/** Components that Python's dates have as attributes. */
const ATTRIBUTES = new Set(['year', 'month', 'day', 'hour', 'minute', 'second'])

type LetterWriter = (date: string, write: Writer) => string

const hour12: LetterWriter = (date) => `(${date}.hour % 12 or 12)`
const half =
  (am: string, pm: string): LetterWriter =>
  (date) =>
    `("${am}" if ${date}.hour < 12 else "${pm}")`
const padded =
  (part: string, width: number): LetterWriter =>
  (date) =>
    `str(${date}.${part}).zfill(${width})`
const plain =
  (part: string): LetterWriter =>
  (date) =>
    `str(${date}.${part})`
const name =
  (list: string, index: string, cut: string): LetterWriter =>
  (date, { uses }) =>
    `${uses.helper(list)}[${date}.${index}]${cut}`

/** The letters of a date pattern as Python. */
const LETTERS: Readonly<Record<DateLetter, LetterWriter>> = {
  yyyy: padded('year', 4),
  yy: (date) => `str(${date}.year % 100).zfill(2)`,
  MMMM: name('_MONTHS', 'month - 1', ''),
  MMM: name('_MONTHS', 'month - 1', '[:3]'),
  MM: padded('month', 2),
  M: plain('month'),
  do: (date, write) => `(str(${date}.day) + ${write.call('_ordinal_suffix', `${date}.day`)})`,
  dd: padded('day', 2),
  d: plain('day'),
  EEEE: name('_WEEKDAYS', 'weekday()', ''),
  EEE: name('_WEEKDAYS', 'weekday()', '[:3]'),
  HH: padded('hour', 2),
  H: plain('hour'),
  hh: (date, write) => `str${hour12(date, write)}.zfill(2)`,
  h: (date, write) => `str${hour12(date, write)}`,
  mm: padded('minute', 2),
  m: plain('minute'),
  ss: padded('second', 2),
  s: plain('second'),
  SSS: (date) => `str(${date}.microsecond // 1000).zfill(3)`,
  SS: (date) => `str(${date}.microsecond // 10000).zfill(2)`,
  S: (date) => `str(${date}.microsecond // 100000)`,
  aaaa: half('a.m.', 'p.m.'),
  aa: half('am', 'pm'),
  a: half('AM', 'PM'),
  XXX: (date, write) => write.call('_offset_text', date),
  XX: (date, write) => write.call('_offset_text', date, '""'),
  xxx: (date, write) => write.call('_offset_text', date, 'z=False'),
  DDD: (date, write) => `str(${write.call('_day_of_year', date)}).zfill(3)`,
  D: (date, write) => `str(${write.call('_day_of_year', date)})`,
  Q: (date) => `str((${date}.month + 2) // 3)`,
  YYYY: (date, write) => `str(${write.call('_iso_week', date)}[0]).zfill(4)`,
  ww: (date, write) => `str(${write.call('_iso_week', date)}[1]).zfill(2)`,
  w: (date, write) => `str(${write.call('_iso_week', date)}[1])`,
  e: (date) => `str(${date}.isoweekday())`,
}

/** Letters whose form an f-string has itself. */
const FORMATS: Readonly<Partial<Record<DateLetter, string>>> = {
  yyyy: 'year:04d',
  MM: 'month:02d',
  M: 'month',
  dd: 'day:02d',
  d: 'day',
  HH: 'hour:02d',
  H: 'hour',
  mm: 'minute:02d',
  m: 'minute',
  ss: 'second:02d',
  s: 'second',
}

function formatted(elements: readonly DateElement[], date: string, write: Writer): string {
  const known = elements.map((element) => ('text' in element ? undefined : FORMATS[element.letter]))
  if (elements.every((element, at) => 'text' in element || known[at] !== undefined)) {
    const body = elements.map((element, at) =>
      'text' in element
        ? pyString(element.text).slice(1, -1).replaceAll('{', '{{').replaceAll('}', '}}')
        : `{${date}.${known[at]}}`,
    )
    return `f"${body.join('')}"`
  }
  return pyConcat(
    elements.map((element) => ('text' in element ? element : { code: LETTERS[element.letter](date, write) })),
  )
}

const edge =
  (helper: string) =>
  ({ date, period }: { readonly date: Expr; readonly period: string }, write: Writer): string =>
    write.call(helper, write.operand(date, DATE), pyString(period))

/** Dates and times as `datetime`. */
export const PY_DATES: TableOf<typeof DATES> = {
  parseDate: ({ text, pattern, pivot }, write) => {
    const elements = elementsOf(pattern).map((element) =>
      'text' in element ? `("text", ${pyString(element.text)})` : `("letters", "${element.letter}")`,
    )
    return write.call('_parse_date', write.operand(text, TEXT), ...elements, ...keywords({ pivot }))
  },
  formatDate: ({ date, pattern }, write) => formatted(elementsOf(pattern), write.name(date, DATE, 'date'), write),
  makeDate: ({ year, month, day }, write) => {
    const [y, m] = [write.operand(year, NUMBER), write.operand(month, NUMBER)]
    return write.call('_make_date', y, m, write.operand(day, NUMBER))
  },
  addTime: ({ date, amount, unit }, write) => {
    const code = write.operand(date, DATE)
    return write.call('_add_time', code, write.operand(amount, NUMBER), pyString(unit))
  },
  startOf: edge('_start_of'),
  endOf: edge('_end_of'),
  dateDifference: ({ from, to, unit }, write) => {
    const code = write.operand(from, DATE)
    return write.call('_difference', code, write.operand(to, DATE), pyString(unit))
  },
  datePart: ({ date, part }, write) => {
    const code = write.atom(date, DATE)
    return ATTRIBUTES.has(part) ? `${code}.${part}` : write.call('_date_part', code, pyString(part))
  },
  fromUnix: ({ value, unit = 'seconds' }, write) =>
    write.call('_from_unix', write.operand(value, NUMBER), unit === 'seconds' ? '' : pyString(unit)),
  atOffset: ({ date, offsetMinutes }, write) =>
    write.call('_at_offset', write.operand(date, DATE), String(offsetMinutes)),
}

const window =
  (helper: string) =>
  (
    {
      date,
      step,
      unit,
      offset,
    }: { readonly date: Expr; readonly step: Expr; readonly unit: string; readonly offset?: Expr },
    write: Writer,
  ): string => {
    const [code, size] = [write.operand(date, DATE), write.operand(step, NUMBER)]
    return write.call(helper, code, size, pyString(unit), offset === undefined ? '' : write.operand(offset, NUMBER))
  }

/** Reading dates of any form, and windows of time. */
export const PY_DATE_READING: TableOf<typeof DATE_READING> = {
  readDate: ({ text, order, orders, pivot, locales, calendar, needs }, write) => {
    dateNamesConstant(locales, write.uses)
    const byMark: Json | undefined =
      orders === undefined
        ? undefined
        : Object.fromEntries(orders.toReversed().map((one) => [one.separator, one.order]))
    return write.call(
      '_read_date',
      write.operand(text, TEXT),
      ...keywords({ order, orders: byMark, pivot, locales, calendar, needs }),
    )
  },
  nthWeekday: ({ date, weekday, n }, write) => {
    const [code, day] = [write.operand(date, DATE), write.operand(weekday, NUMBER)]
    return write.call('_nth_weekday', code, day, write.operand(n, NUMBER))
  },
  windowStart: window('_window_start'),
  windowEnd: window('_window_end'),
}
