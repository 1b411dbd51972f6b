import type { Expr } from '../../language/ast.ts'
import type { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import { differenceOf, partOf } from '../../language/primitives/dates/date-math.ts'
import type { DateNode } from '../dates/date-space.ts'
import type { PredicateSet } from './predicate.ts'

const MAX_DATES = 4
/** Common parts of two dates, as the pattern that writes only that part. */
const SHARED = [
  { pattern: 'yyyy-MM', parts: ['year', 'month'], price: 0.6 },
  { pattern: 'yyyy', parts: ['year'], price: 0.65 },
  { pattern: 'yyyy-MM-dd', parts: ['year', 'month', 'day'], price: 0.7 },
] as const

/** Two dates of the input lie in one month, one year or on one day, or one is before the other. */
export function addDatePairs(set: PredicateSet, dates: readonly DateNode[]): void {
  const few = dates.filter(({ has, values }) => has !== 'time' && !values.includes(undefined)).slice(0, MAX_DATES)
  for (const [at, a] of few.entries()) {
    for (const b of few.slice(at + 1)) {
      const holds = (test: (x: CivilDate, y: CivilDate) => boolean) =>
        a.values.map((x, row) => {
          const y = b.values[row]
          return x !== undefined && y !== undefined && test(x, y)
        })
      const written = (date: Expr, pattern: string): Expr => ({ op: 'formatDate', date, pattern })
      for (const { pattern, parts, price } of SHARED) {
        set.add(
          { op: 'eq', left: written(a.expr, pattern), right: written(b.expr, pattern) },
          a.cost + price,
          'structure',
          holds((x, y) => parts.every((part) => partOf(x, part) === partOf(y, part))),
        )
      }
      set.add(
        { op: 'lt', left: a.expr, right: b.expr },
        a.cost + 0.6,
        'structure',
        holds((x, y) => (differenceOf(x, y, 'milliseconds') ?? 0) > 0),
      )
    }
  }
}
