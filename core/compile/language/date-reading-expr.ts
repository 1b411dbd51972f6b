import type { Expr } from './ast.ts'
import type { TimeUnit } from './names.ts'
import type { DateReading } from './primitives/dates/reading/options.ts'

/** Operators on dates that `svc-recipe-2` adds. */
export type DateReadingExpr =
  /** A date or time in any form of the published grammar. */
  | ({ readonly op: 'readDate'; readonly text: Expr } & DateReading)
  /** The n-th weekday (1 Monday to 7 Sunday) of the month of a date; a negative `n` counts from the last. */
  | { readonly op: 'nthWeekday'; readonly date: Expr; readonly weekday: Expr; readonly n: Expr }
  /** An edge of the window of `step` units that holds the date; `offset` units move the windows. */
  | {
      readonly op: 'windowStart' | 'windowEnd'
      readonly date: Expr
      readonly step: Expr
      readonly unit: TimeUnit
      readonly offset?: Expr
    }
