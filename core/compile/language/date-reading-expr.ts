import type { TimeUnit } from './names.ts'
import type { DateReading } from './primitives/dates/reading/options.ts'

/** A date or time in any form of the published grammar. */
export interface ReadDate<Expr> extends DateReading {
  readonly op: 'readDate'
  readonly text: Expr
}

/** The n-th weekday (1 Monday to 7 Sunday) of the month of a date; a negative `n` counts from the last. */
export interface NthWeekday<Expr> {
  readonly op: 'nthWeekday'
  readonly date: Expr
  readonly weekday: Expr
  readonly n: Expr
}

/** An edge of the window of `step` units that holds the date; `offset` units move the windows. */
export interface WindowEdge<Expr> {
  readonly op: 'windowStart' | 'windowEnd'
  readonly date: Expr
  readonly step: Expr
  readonly unit: TimeUnit
  readonly offset?: Expr
}
