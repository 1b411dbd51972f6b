import type { DateExpr } from '../ast.ts'
import { DATE_PARTS, DATE_PERIODS, TIME_UNITS } from '../names.ts'
import { DATE, NUMBER, TEXT } from '../value-types.ts'
import { choice, expr, integer, type OperatorTable, optional } from './fields.ts'

const group = 'date'

/** Operators on civil dates and times. */
export const DATE_OPERATORS: OperatorTable<DateExpr['op']> = {
  parseDate: {
    group,
    fields: { text: expr(TEXT), pattern: { kind: 'datePattern', isRead: true }, pivot: optional(integer(0, 100)) },
    result: DATE,
    meaning: 'The date that the whole text is, by the pattern; else `no_match`. `yy` below `pivot` (69) is 20yy.',
  },
  formatDate: {
    group,
    fields: { date: expr(DATE), pattern: { kind: 'datePattern', isRead: false } },
    result: TEXT,
    meaning: 'The date written by the pattern; `missing` when it asks for an offset the date has not.',
  },
  makeDate: {
    group,
    fields: { year: expr(NUMBER), month: expr(NUMBER), day: expr(NUMBER) },
    result: DATE,
    meaning: 'A day at 00:00; `out_of_range` when there is no such day.',
  },
  addTime: {
    group,
    fields: { date: expr(DATE), amount: expr(NUMBER), unit: choice(TIME_UNITS) },
    result: DATE,
    meaning:
      'So much later. Months, quarters and years: whole, and the day is cut to the last of the month. `out_of_range` outside the years 1 to 9999.',
  },
  startOf: {
    group,
    fields: { date: expr(DATE), period: choice(DATE_PERIODS) },
    result: DATE,
    meaning: 'The first millisecond of the period. Weeks start on Monday.',
  },
  endOf: {
    group,
    fields: { date: expr(DATE), period: choice(DATE_PERIODS) },
    result: DATE,
    meaning: 'The last millisecond of the period.',
  },
  dateDifference: {
    group,
    fields: { from: expr(DATE), to: expr(DATE), unit: choice(TIME_UNITS) },
    result: NUMBER,
    meaning: 'Whole units from one to the other, towards zero; negative when `to` is earlier.',
  },
  datePart: {
    group,
    fields: { date: expr(DATE), part: choice(DATE_PARTS) },
    result: NUMBER,
    meaning: 'One component; `missing` for the offset of a date without one.',
  },
  fromUnix: {
    group,
    fields: { value: expr(NUMBER), unit: optional(choice(['seconds', 'milliseconds'])) },
    result: DATE,
    meaning: 'The UTC date (offset 0) of a Unix time. Default unit `seconds`.',
  },
  atOffset: {
    group,
    fields: { date: expr(DATE), offsetMinutes: integer(-1439, 1439) },
    result: DATE,
    meaning: 'The same instant at another offset; a date without an offset is taken as UTC.',
  },
}
