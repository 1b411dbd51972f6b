import type { Expr } from '../../language/ast.ts'
import type { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import { addToDate, partOf } from '../../language/primitives/dates/date-math.ts'
import { numberCost } from '../numbers/tidy.ts'
import { literal } from '../search/build.ts'
import { shownOf } from '../search/unlabelled.ts'
import type { NumberNode } from '../search/node.ts'
import type { DateNode } from './date-node.ts'
import { costOf, type Cost } from '../ranking/cost.ts'

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

function moveBy(
  node: DateNode,
  amount: Expr,
  cost: Cost,
  daysFor: (weekday: number, row: number) => number | undefined,
): DateNode {
  const move = (date: CivilDate | undefined, row: number): CivilDate | undefined => {
    const weekday = date === undefined ? undefined : partOf(date, 'weekday')
    const days = weekday === undefined ? undefined : daysFor(weekday, row)
    return date === undefined || days === undefined ? undefined : addToDate(date, days, 'days')
  }
  return {
    ...node,
    expr: { op: 'addTime', date: node.expr, amount, unit: 'days' },
    cost: node.cost.plus(cost),
    values: node.values.map(move),
  }
}

/** Calendar days that so many workdays take, from a weekday on: weekends between are skipped, a weekend counts as its Friday. */
function calendarDays(weekday: number, workdays: number): number {
  const start = Math.min(weekday, 5)
  return workdays + 2 * Math.floor((start - 1 + workdays) / 5) + start - weekday
}

function calendarDaysExpr(weekday: Expr, workdays: Expr): Expr {
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

/** Dates moved over weekends: to the next or last workday, off a weekend, or by a number of workdays. */
export function* workdays(node: DateNode, amounts: readonly NumberNode[], shown: number): Generator<DateNode> {
  if (node.has === 'time') return
  const weekday: Expr = { op: 'datePart', date: node.expr, part: 'weekday' }
  for (const { days, other } of MOVES) {
    const cases = [...days].map(([day, by]) => ({
      when: { op: 'eq', left: weekday, right: literal(day) } as const,
      then: literal(by),
    }))
    const amount: Expr = { op: 'switch', cases, else: literal(other) }
    yield moveBy(node, amount, costOf('workday'), (day) => days.get(day) ?? other)
  }
  for (const count of COUNTS) {
    const cost = costOf('workdays').plus(numberCost(count).share('moveDate'))
    yield moveBy(node, calendarDaysExpr(weekday, literal(count)), cost, (day) => calendarDays(day, count))
  }
  for (const { expr, cost, values } of amounts.slice(0, MAX_AMOUNTS)) {
    if (shownOf(values, shown).some((value) => value === undefined || !Number.isInteger(value) || value < 1)) continue
    yield moveBy(node, calendarDaysExpr(weekday, expr), cost.with('workdays.column'), (day, row) => {
      const count = values[row]
      return count === undefined ? undefined : calendarDays(day, count)
    })
  }
}
