import { CONTESTANT_KINDS, isAsked, type Contestant } from './contestant.ts'
import type { ContestantFigures } from './figures.ts'
import { leastDifference, type Ranked } from './pairs.ts'

/** A contestant that answered all rows. */
export interface Finished extends Ranked {
  readonly contestant: Contestant
  readonly figures: ContestantFigures
}

/** The recommendation of a bake-off. */
export interface Recommendation {
  readonly place: number
  /** The one with the most right rows. */
  readonly best: number
  /** Least difference to the best that its rows leave open; 0 for the best itself. */
  readonly leastDifference: number
}

/**
 * Recommends the cheapest contestant that is shown to be no worse than the best by more than the margin: the one-sided 95 % bound of
 * the paired difference lies above it. The best itself always is, so with few rows it is recommended. Null without a right answer.
 */
export function recommend(finished: readonly Finished[], margin: number): Recommendation | null {
  const [best] = finished.toSorted(
    (one, other) => other.figures.right - one.figures.right || byCost(one, other) || one.place - other.place,
  )
  if (best === undefined || best.figures.right === 0) return null
  const able = finished
    .map((each) => ({ each, bound: each === best ? 0 : leastDifference(best, each) }))
    .filter(({ each, bound }) => each === best || bound >= -margin)
    .toSorted((one, other) => byCost(one.each, other.each) || one.each.place - other.each.place)
  const [chosen] = able
  return chosen === undefined ? null : { place: chosen.each.place, best: best.place, leastDifference: chosen.bound }
}

/**
 * Orders contestants by cost: first those that buy nothing, by the processor time of a row, then those that ask a provider, by
 * dollars; those whose cost is not known last.
 */
export function byCost(one: Finished, other: Finished): number {
  const [first, second] = [costOf(one), costOf(other)]
  return first.rank - second.rank || first.amount - second.amount || kindOf(one) - kindOf(other)
}

function costOf({ contestant, figures }: Finished): { readonly rank: number; readonly amount: number } {
  if (!isAsked(contestant)) return { rank: 0, amount: (figures.cpuMs ?? 0) / figures.n }
  return figures.usd === null ? { rank: 2, amount: 0 } : { rank: 1, amount: figures.usd / figures.n }
}

function kindOf({ contestant }: Finished): number {
  return CONTESTANT_KINDS.indexOf(contestant.kind)
}
