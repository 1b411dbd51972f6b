import { RECIPE_KINDS } from '../../task.ts'
import type { KindResult } from '../stage-types.ts'

/** What of a kind's result the choice looks at. */
type Judged = Pick<KindResult, 'kind' | 'kScore' | 'innerEvidence'> & {
  readonly evaluation: Pick<KindResult['evaluation'], 'accuracy' | 'n'>
}

/** How much better than a cheaper kind that reaches the floor a dearer one must be to be preferred. */
const CLEARLY_BETTER = 0.05

/** Share of right answers on train rows that the recipe was not fitted on; null when that is not known. */
function innerShare({ innerEvidence }: Judged): number | null {
  return innerEvidence === null || innerEvidence.rows === 0 ? null : innerEvidence.right / innerEvidence.rows
}

/** One standard error of the share of right answers on the holdout. */
function noiseOf({ evaluation }: Judged): number {
  const { accuracy, n } = evaluation
  return n === 0 ? 0 : Math.sqrt((accuracy * (1 - accuracy)) / n)
}

/**
 * The kind to ship: the cheapest whose K-score reaches the floor, unless a dearer one that does so too is clearly
 * better; when none reaches it, the one with the best K-score. Kinds that the holdout does not tell apart (no further
 * from the best than its margin or one standard error) are told apart by their inner evidence, the rows held back
 * inside the train rows: there are more of those. Equal evidence leaves the cheapest. Null when there is none at all.
 */
export function chooseKind<Result extends Judged>(results: readonly Result[]): Result | null {
  const byPrice = results.toSorted((a, b) => RECIPE_KINDS.indexOf(a.kind) - RECIPE_KINDS.indexOf(b.kind))
  const shipping = byPrice.filter(({ kScore }) => kScore.ships)
  if (shipping.length === 0) return byPrice.toSorted((a, b) => b.kScore.composite - a.kScore.composite)[0] ?? null
  const best = Math.max(...shipping.map(({ kScore }) => kScore.composite))
  const tied = shipping.filter((result) => result.kScore.composite >= best - Math.max(CLEARLY_BETTER, noiseOf(result)))
  const [cheapest] = tied
  if (cheapest === undefined) return null
  return tied.reduce((leader, result) => {
    const [known, share] = [innerShare(leader), innerShare(result)]
    return known !== null && share !== null && share > known ? result : leader
  }, cheapest)
}
