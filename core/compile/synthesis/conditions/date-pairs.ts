import type { Expr } from '../../language/ast.ts'
import type { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import { differenceOf, partOf } from '../../language/primitives/dates/date-math.ts'
import type { DateNode } from '../dates/date-space.ts'
import type { PredicateSet } from './predicate.ts'

const MAX_DATES = 4
/** Common parts of two dates, as the pattern that writes only that part. */
const SHARED = [
  { pattern: 'yyyy-MM', parts: ['year', 'month'], feature: 'condition.sameMonth' },
  { pattern: 'yyyy', parts: ['year'], feature: 'condition.sameYear' },
  { pattern: 'yyyy-MM-dd', parts: ['year', 'month', 'day'], feature: 'condition.sameDay' },
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
      for (const { pattern, parts, feature } of SHARED) {
        set.add(
          { op: 'eq', left: written(a.expr, pattern), right: written(b.expr, pattern) },
          a.cost.with(feature),
          'structure',
          holds((x, y) => parts.every((part) => partOf(x, part) === partOf(y, part))),
        )
      }
      set.add(
        { op: 'lt', left: a.expr, right: b.expr },
        a.cost.with('condition.before'),
        'structure',
        holds((x, y) => (differenceOf(x, y, 'milliseconds') ?? 0) > 0),
      )
    }
  }
}
