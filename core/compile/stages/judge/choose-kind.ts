import { RECIPE_KINDS } from '../../rows/task.ts'
import { LEARNERS } from './outdone.ts'
import type { KindResult } from './verify-types.ts'

/** Fields of a kind's result that the choice uses. */
type Judged = Pick<KindResult, 'kind' | 'kScore' | 'innerEvidence' | 'scoring' | 'outdoneBy'> & {
  readonly evaluation: Pick<KindResult['evaluation'], 'accuracy' | 'n'>
}

/** K-score by which a more expensive kind must exceed a cheaper one that reaches the floor. */
const CLEARLY_BETTER = 0.05

/** Share of right answers on train rows that the recipe was not fitted on; null when that is not known. */
function innerShare({ innerEvidence }: Judged): number | null {
  return innerEvidence === null || innerEvidence.rows === 0 ? null : innerEvidence.right / innerEvidence.rows
}

/** One standard error of the share of right answers. */
function noiseOf({ evaluation }: Judged): number {
  const { accuracy, n } = evaluation
  return n === 0 ? 0 : Math.sqrt((accuracy * (1 - accuracy)) / n)
}

/**
 * Chooses the kind to ship; null when there is no result.
 *
 * - The cheapest kind whose K-score reaches the floor ships, unless a more expensive one that also reaches it is clearly
 *   better. When none reaches it, the one with the best K-score is chosen.
 * - Kinds that their rows cannot separate (within the margin or one standard error of the best) are compared by their
 *   inner evidence, the rows held back inside the train rows; a classifier and a tabular model by the rows that score
 *   them. On equal evidence the cheapest wins.
 * - Only kinds that are scored in the same way are compared so closely: one that was scored in another way than the
 *   cheapest ships only when no kind scored like that one reaches the floor.
 * - A program or classifier that a learner outdoes (`markOutdone`) gives way to it, unless it alone of the two reaches the floor.
 *
 * @param missOf typical miss of a kind's answers where outputs are numbers: where no kind reaches the floor, the smallest is best,
 *   since a number that is nearly right counts as wrong
 */
export function chooseKind<Result extends Judged>(
  results: readonly Result[],
  missOf: (result: Result) => number | null = () => null,
): Result | null {
  const byPrice = withoutOutdone(results).toSorted(
    (a, b) => RECIPE_KINDS.indexOf(a.kind) - RECIPE_KINDS.indexOf(b.kind),
  )
  const passing = byPrice.filter(({ kScore }) => kScore.ships)
  const shipping = passing.filter(({ scoring }) => scoring === passing[0]?.scoring)
  if (shipping.length === 0) {
    const missed = byPrice.map((result) => ({ result, miss: missOf(result) ?? Infinity }))
    const least = Math.min(...missed.map(({ miss }) => miss))
    const nearest = missed.filter(({ miss }) => miss === least).map(({ result }) => result)
    return nearest.toSorted((a, b) => b.kScore.composite - a.kScore.composite)[0] ?? null
  }
  const best = Math.max(...shipping.map(({ kScore }) => kScore.composite))
  const tied = shipping.filter((result) => result.kScore.composite >= best - Math.max(CLEARLY_BETTER, noiseOf(result)))
  const learners = tied.filter(({ kind }) => LEARNERS.includes(kind))
  const leading = Math.max(...learners.map(({ evaluation }) => evaluation.accuracy))
  const learner = learners.find(({ evaluation }) => evaluation.accuracy === leading)
  const left = tied.filter((result) => result === learner || !learners.includes(result))
  const [cheapest] = left
  if (cheapest === undefined) return null
  return left.reduce((leader, result) => {
    const [known, share] = [innerShare(leader), innerShare(result)]
    return known !== null && share !== null && share > known ? result : leader
  }, cheapest)
}

function withoutOutdone<Result extends Judged>(results: readonly Result[]): readonly Result[] {
  return results.filter(({ outdoneBy, kScore }) => {
    const by = results.find(({ kind }) => kind === outdoneBy)
    return by === undefined || (kScore.ships && !by.kScore.ships)
  })
}
