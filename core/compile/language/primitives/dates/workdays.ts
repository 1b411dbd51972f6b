import type { Expr } from '../../ast.ts'

const number = (value: number): Expr => ({ op: 'literal', value })

/** Workdays before a day that is so many days after a Monday. */
function workdaysBefore(days: Expr): Expr {
  const weeks: Expr = { op: 'round', value: { op: 'div', left: days, right: number(7) }, mode: 'floor' }
  const rest: Expr = { op: 'mod', left: days, right: number(7) }
  const inRest: Expr = { op: 'min', left: rest, right: number(5) }
  return { op: 'add', left: { op: 'mul', left: weeks, right: number(5) }, right: inRest }
}

/**
 * The expression that counts the days from Monday to Friday between two dates, the first of which is not the later one. `first` and
 * `last` say whether these dates count themselves.
 */
export function workdaysBetween(
  from: Expr,
  to: Expr,
  { first, last }: { readonly first: boolean; readonly last: boolean },
): Expr {
  const weekday: Expr = { op: 'datePart', date: from, part: 'weekday' }
  const days: Expr = { op: 'dateDifference', from, to, unit: 'days' }
  const oneLess = (of: Expr): Expr => ({ op: 'add', left: of, right: number(-1) })
  const end: Expr = { op: 'add', left: weekday, right: days }
  const begin = first ? oneLess(weekday) : weekday
  return {
    op: 'sub',
    left: workdaysBefore(last ? end : oneLess(end)),
    right: { op: 'min', left: begin, right: number(5) },
  }
}
