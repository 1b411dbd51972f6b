import type { Expr } from '../../language/ast.ts'
import { addToDate, differenceOf, partOf, startOfPeriod } from '../../language/primitives/dates/date-math.ts'
import { literal } from '../search/build.ts'
import type { NumberNode } from '../search/node.ts'
import type { DateNode } from './date-node.ts'

const DAY_PARTS = [
  'year',
  'month',
  'day',
  'quarter',
  'weekday',
  'isoWeek',
  'dayOfYear',
  'daysInMonth',
  'unixSeconds',
] as const
const TIME_PARTS = ['hour', 'minute', 'second'] as const
const UNITS = ['days', 'months', 'years', 'weeks', 'hours', 'minutes', 'seconds'] as const

/** Years that begin in April, July and October: the date moved so that they begin in January. */
const FISCAL_SHIFTS = [-3, 3, 6, 9] as const

/** The year and the quarter of fiscal years. */
function fiscalNumbers({ expr, cost, values }: DateNode): NumberNode[] {
  return FISCAL_SHIFTS.flatMap((months) => {
    const moved = values.map((date) => (date === undefined ? undefined : addToDate(date, months, 'months')))
    const date: Expr = { op: 'addTime', date: expr, amount: literal(months), unit: 'months' }
    return (['year', 'quarter'] as const).map((part): NumberNode => ({
      expr: { op: 'datePart', date, part },
      cost: cost.with('datePart.fiscal'),
      values: moved.map((value) => (value === undefined ? undefined : partOf(value, part))),
    }))
  })
}

/** The parts of dates as numbers, and the time between two dates in whole units. */
export function dateNumbers(dates: readonly DateNode[]): NumberNode[] {
  const out: NumberNode[] = []
  for (const { expr, cost, values, has } of dates) {
    const parts = has === 'day' ? DAY_PARTS : has === 'time' ? TIME_PARTS : [...DAY_PARTS, ...TIME_PARTS]
    for (const part of parts) {
      out.push({
        expr: { op: 'datePart', date: expr, part },
        cost: cost.with(`datePart.${part}`),
        values: values.map((date) => (date === undefined ? undefined : partOf(date, part))),
      })
    }
    if (has === 'day') {
      out.push(...fiscalNumbers({ expr, cost, values, has }))
      continue
    }
    for (const unit of ['minutes', 'seconds'] as const) {
      const start: Expr = { op: 'startOf', date: expr, period: 'day' }
      out.push({
        expr: { op: 'dateDifference', from: start, to: expr, unit },
        cost: cost.with('dateDifference.dayStart'),
        values: values.map((date) => {
          const from = date === undefined ? undefined : startOfPeriod(date, 'day')
          return date === undefined || from === undefined ? undefined : differenceOf(from, date, unit)
        }),
      })
    }
  }
  for (const a of dates) {
    for (const b of dates) {
      if (a === b || a.has !== b.has) continue
      for (const unit of a.has === 'time'
        ? (['minutes', 'hours', 'seconds'] as const)
        : UNITS.slice(0, a.has === 'day' ? 4 : 7)) {
        out.push({
          expr: { op: 'dateDifference', from: a.expr, to: b.expr, unit },
          cost: a.cost
            .plus(b.cost)
            .with(
              unit === 'days' || unit === 'years' || unit === 'minutes' ? 'dateDifference' : 'dateDifference.otherUnit',
            ),
          values: a.values.map((from, row) => {
            const to = b.values[row]
            return from === undefined || to === undefined ? undefined : differenceOf(from, to, unit)
          }),
        })
      }
    }
  }
  return out
}
