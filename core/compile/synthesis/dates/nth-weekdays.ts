import { daysInMonth, weekdayOf } from '../../language/primitives/dates/civil-date.ts'
import { literal } from '../search/build.ts'
import { dateBy } from '../search/derived.ts'
import type { DateNode } from './date-node.ts'
import { isShown, type ShownDates } from './shown-dates.ts'

/** The n-th or last weekday of the month of each date, where the outputs show it. */
export function nthWeekdays(node: DateNode, shown: ShownDates): DateNode[] {
  const goal = shown.dates[0]
  if (node.has === 'time' || shown.has === 'time' || goal === undefined) return []
  const weekday = weekdayOf(goal)
  const fromFirst = Math.ceil(goal.day / 7)
  const fromLast = -Math.ceil((daysInMonth(goal.year, goal.month) - goal.day + 1) / 7)
  return [fromFirst, fromLast].flatMap((n): DateNode[] => {
    const found: DateNode = {
      ...node,
      ...dateBy((date) => ({ op: 'nthWeekday', date, weekday: literal(weekday), n: literal(n) }))(
        node,
        node.cost.with('nthWeekday').when(n < 0, 'nthWeekday.fromLast'),
      ),
    }
    return isShown(found.values, shown) ? [found] : []
  })
}
