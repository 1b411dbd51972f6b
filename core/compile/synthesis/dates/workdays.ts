import type { Expr } from '../../language/ast.ts'
import { numberCost } from '../numbers/tidy.ts'
import { equals, literal } from '../search/build.ts'
import { dateBy } from '../search/derived.ts'
import { shownOf } from '../search/unlabelled.ts'
import type { NumberNode } from '../search/node.ts'
import { datePart, type DateNode } from './date-node.ts'

/** Days to move by on the days of the week that differ from the others; 1 is Monday. */
const MOVES: readonly { readonly days: ReadonlyMap<number, number>; readonly other: number }[] = [
  // The next and the last workday, and weekends moved to the Monday after or the Friday before.
  {
    days: new Map([
      [5, 3],
      [6, 2],
    ]),
    other: 1,
  },
  {
    days: new Map([
      [1, -3],
      [7, -2],
    ]),
    other: -1,
  },
  {
    days: new Map([
      [6, 2],
      [7, 1],
    ]),
    other: 0,
  },
  {
    days: new Map([
      [6, -1],
      [7, -2],
    ]),
    other: 0,
  },
]
const COUNTS = [2, 3, 4, 5, 7, 10, 15, 20] as const
const MAX_AMOUNTS = 3

/** Calendar days that so many workdays take, from a weekday on: weekends between are skipped, a weekend counts as its Friday. */
function calendarDays(weekday: Expr, workdays: Expr): Expr {
  const start: Expr = { op: 'min', left: weekday, right: literal(5) }
  const last: Expr = { op: 'add', left: { op: 'sub', left: start, right: literal(1) }, right: workdays }
  const weeks: Expr = { op: 'round', value: { op: 'div', left: last, right: literal(5) }, mode: 'floor' }
  const weekends: Expr = { op: 'mul', left: weeks, right: literal(2) }
  return {
    op: 'add',
    left: { op: 'add', left: workdays, right: weekends },
    right: { op: 'sub', left: start, right: weekday },
  }
}

function movedBy(days: (date: Expr, count: Expr) => Expr) {
  return dateBy((date, count) => ({ op: 'addTime', date, amount: days(date, count), unit: 'days' }))
}

function weekdayOf(date: Expr): Expr {
  return datePart(date, 'weekday')
}

const OFF_WEEKENDS = MOVES.map(({ days, other }) =>
  movedBy((date) => ({
    op: 'switch',
    cases: [...days].map(([day, by]) => ({
      when: equals(weekdayOf(date), day),
      then: literal(by),
    })),
    else: literal(other),
  })),
)
const BY_COUNTS = COUNTS.map((count) => ({
  count,
  moved: movedBy((date) => calendarDays(weekdayOf(date), literal(count))),
}))
const BY_COLUMN = movedBy((date, count) => calendarDays(weekdayOf(date), count))

/** Dates moved over weekends: to the next or last workday, off a weekend, or by a number of workdays. */
export function* workdays(node: DateNode, amounts: readonly NumberNode[], shown: number): Generator<DateNode> {
  if (node.has === 'time') return
  for (const moved of OFF_WEEKENDS) yield { ...node, ...moved(node, node.cost.with('workday')) }
  for (const { count, moved } of BY_COUNTS) {
    yield { ...node, ...moved(node, node.cost.with('workdays').plus(numberCost(count).share('moveDate'))) }
  }
  for (const amount of amounts.slice(0, MAX_AMOUNTS)) {
    const counts = shownOf(amount.values, shown)
    if (counts.some((value) => value === undefined || !Number.isInteger(value) || value < 1)) continue
    yield { ...node, ...BY_COLUMN(node, node.cost.plus(amount.cost).with('workdays.column'), amount) }
  }
}
