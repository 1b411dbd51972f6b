import type { Build } from '../../language/evaluate/columns.ts'
import type { DateNode } from '../dates/date-node.ts'
import type { PredicateSet } from './predicate.ts'

const MAX_DATES = 4
/** Common parts of two dates, as the pattern that writes only that part. */
const SHARED = [
  { pattern: 'yyyy-MM', feature: 'condition.sameMonth' },
  { pattern: 'yyyy', feature: 'condition.sameYear' },
  { pattern: 'yyyy-MM-dd', feature: 'condition.sameDay' },
] as const

/** Two dates of the input are in one month, in one year or on one day, or one is before the other. */
export function addDatePairs(set: PredicateSet, dates: readonly DateNode[]): void {
  const few = dates.filter(({ has, values }) => has !== 'time' && !values.includes(undefined)).slice(0, MAX_DATES)
  for (const [at, a] of few.entries()) {
    for (const b of few.slice(at + 1)) {
      for (const { pattern, feature } of SHARED) {
        const isShared: Build = (one, other) => ({
          op: 'eq',
          left: { op: 'formatDate', date: one, pattern },
          right: { op: 'formatDate', date: other, pattern },
        })
        set.addOn(a, a.cost.with(feature), 'structure', isShared, b)
      }
      const isBefore: Build = (left, right) => ({ op: 'lt', left, right })
      set.addOn(a, a.cost.with('condition.before'), 'structure', isBefore, b)
    }
  }
}
