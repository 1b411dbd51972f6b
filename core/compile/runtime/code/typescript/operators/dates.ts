import type { Expr } from '../../../../language/ast.ts'
import type { DATE_READING } from '../../../../language/operators/date-reading.ts'
import type { DATES } from '../../../../language/operators/dates.ts'
import { readDatePattern } from '../../../../language/primitives/dates/date-pattern.ts'
import { DATE, NUMBER, TEXT } from '../../../../language/value-types.ts'
import type { OperatorTable, Writer } from '../../writing/dialect.ts'
import { tsString } from '../strings.ts'
import { needed, options } from './numbers.ts'

type TableOf<Group> = Pick<OperatorTable, keyof Group & keyof OperatorTable>

function elementsOf(pattern: string): string {
  const parts = (readDatePattern(pattern) ?? []).map((element) =>
    'text' in element ? `{ text: ${tsString(element.text)} }` : `{ letter: '${element.letter}' }`,
  )
  return `[${parts.join(', ')}]`
}

const edge =
  (helper: string) =>
  ({ date, period }: { readonly date: Expr; readonly period: string }, write: Writer): string =>
    needed(write.call(helper, write.operand(date, DATE), tsString(period)), 'out_of_range', write)

/** Dates and times. */
export const TS_DATES: TableOf<typeof DATES> = {
  parseDate: ({ text, pattern, pivot }, write) => {
    const code = write.operand(text, TEXT)
    return needed(
      write.call('parseDateText', code, elementsOf(pattern), pivot === undefined ? '' : String(pivot)),
      'no_match',
      write,
    )
  },
  formatDate: ({ date, pattern }, write) =>
    needed(write.call('formatDateText', write.operand(date, DATE), elementsOf(pattern)), 'missing', write),
  makeDate: ({ year, month, day }, write) => {
    const [y, m] = [write.operand(year, NUMBER), write.operand(month, NUMBER)]
    return needed(write.call('makeCivilDate', y, m, write.operand(day, NUMBER)), 'out_of_range', write)
  },
  addTime: ({ date, amount, unit }, write) => {
    const code = write.operand(date, DATE)
    return needed(write.call('addToDate', code, write.operand(amount, NUMBER), tsString(unit)), 'out_of_range', write)
  },
  startOf: edge('startOfPeriod'),
  endOf: edge('endOfPeriod'),
  dateDifference: ({ from, to, unit }, write) => {
    const code = write.operand(from, DATE)
    return needed(write.call('differenceOf', code, write.operand(to, DATE), tsString(unit)), 'out_of_range', write)
  },
  datePart: ({ date, part }, write) =>
    needed(write.call('partOf', write.operand(date, DATE), tsString(part)), 'missing', write),
  fromUnix: ({ value, unit = 'seconds' }, write) =>
    needed(write.call('fromUnixTime', write.operand(value, NUMBER), tsString(unit)), 'out_of_range', write),
  atOffset: ({ date, offsetMinutes }, write) =>
    needed(write.call('moveToOffset', write.operand(date, DATE), String(offsetMinutes)), 'out_of_range', write),
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
    const moved = offset === undefined ? '0' : write.operand(offset, NUMBER)
    const windows = `{ step: ${size}, unit: ${tsString(unit)}, offset: ${moved} }`
    return needed(write.call(helper, code, windows), 'out_of_range', write)
  }

/** Reading dates of any form, and windows of time. */
export const TS_DATE_READING: TableOf<typeof DATE_READING> = {
  readDate: ({ op: _op, text, orders, ...given }, write) => {
    for (const locale of given.locales ?? []) write.uses.entry('DATE_NAMES', locale, '')
    if ((given.locales ?? []).length === 0) write.uses.entry('DATE_NAMES', '*', '')
    const byMark = orders?.map(({ separator, order }) => ({ separator, order }))
    const code = write.call('readDateText', write.operand(text, TEXT), options({ ...given, orders: byMark }))
    return needed(`${code}?.date`, 'no_match', write)
  },
  nthWeekday: ({ date, weekday, n }, write) => {
    const [code, day] = [write.operand(date, DATE), write.operand(weekday, NUMBER)]
    return needed(write.call('nthWeekdayOf', code, day, write.operand(n, NUMBER)), 'out_of_range', write)
  },
  windowStart: window('windowStartOf'),
  windowEnd: window('windowEndOf'),
}
