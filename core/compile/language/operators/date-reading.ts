import { type DateReadingExpr, LANGUAGE_2 } from '../ast.ts'
import { TIME_UNITS } from '../names.ts'
import { DATE_LOCALES } from '../primitives/dates/reading/lexicon.ts'
import { CALENDARS, DATE_ORDERS } from '../primitives/dates/reading/options.ts'
import { DATE, NUMBER, TEXT } from '../value-types.ts'
import { choice, expr, type FieldSpec, integer, type OperatorTable, optional, text } from './fields.ts'

const group = 'date'
const since = LANGUAGE_2
const order: FieldSpec = choice(DATE_ORDERS)

/** Operators on dates that `svc-recipe-2` adds. */
export const DATE_READING_OPERATORS: OperatorTable<DateReadingExpr['op']> = {
  readDate: {
    group,
    since,
    fields: {
      text: expr(TEXT),
      order: optional(order),
      orders: {
        kind: 'records',
        fields: { separator: text(0, 1), order },
        min: 1,
        optional: true,
      },
      pivot: optional(integer(0, 100)),
      locales: { kind: 'strings', values: DATE_LOCALES, optional: true },
      calendar: optional(choice(CALENDARS)),
    },
    result: DATE,
    meaning: 'The date or time that the whole text is, in any form of "Reading dates"; else `no_match`.',
  },
  nthWeekday: {
    group,
    since,
    fields: { date: expr(DATE), weekday: expr(NUMBER), n: expr(NUMBER) },
    result: DATE,
    meaning:
      'The n-th weekday (1 Monday to 7 Sunday) of the month of the date, at 00:00; a negative `n` counts from the last. `out_of_range` when the month has none.',
  },
  windowStart: {
    group,
    since,
    fields: { date: expr(DATE), step: expr(NUMBER), unit: choice(TIME_UNITS), offset: optional(expr(NUMBER)) },
    result: DATE,
    meaning: 'The start of the window of `step` units that holds the date, see "Windows of time".',
  },
  windowEnd: {
    group,
    since,
    fields: { date: expr(DATE), step: expr(NUMBER), unit: choice(TIME_UNITS), offset: optional(expr(NUMBER)) },
    result: DATE,
    meaning: 'The end of that window, which is the start of the next one.',
  },
}
