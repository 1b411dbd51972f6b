import type { RecipeKind, Row } from '../../rows/task.ts'
import { haveTexts } from '../sample/is-memorising.ts'
import type { KindResult } from './verify-types.ts'

/** Kinds of one cost that learn weights: of two that tie, the one with more right answers ships. */
export const LEARNERS: readonly RecipeKind[] = ['classifier', 'tabular']

/** The 0.95 quantile of the standard normal distribution: the paired test has one side. */
const Z_ONE_SIDED = 1.6448536269514722

/**
 * Marks a program that has not shown that it is better than the best learner. It is one of very many programs, found because
 * it fits these rows. Over texts, some word separates any few rows by chance; over other inputs, a program that still misses
 * some of the rows that it was found on fits wrong labels. Either is the right rule less often than its score says
 * (`npm run bench -- noisy-sets`). So it has to be right on more rows than the learner by the paired test of McNemar
 * (Psychometrika 12, 1947), one-sided at 5 %, unless its folds got every row right.
 * @param fitsAll whether the program gets every row right that it was found on
 */
export function markOutdone(
  results: readonly KindResult[],
  { rows, fitsAll }: { readonly rows: readonly Row[]; readonly fitsAll: (program: KindResult) => boolean },
): readonly KindResult[] {
  const learners = results.filter(({ kind }) => LEARNERS.includes(kind))
  const best = learners.toSorted((a, b) => b.evaluation.correct - a.evaluation.correct)[0]
  if (best === undefined) return results
  return results.map((result) => {
    if (result.kind !== 'program' || result.scoring !== best.scoring || isProven(result, best)) return result
    return !haveTexts(rows) && fitsAll(result) ? result : { ...result, outdoneBy: best.kind }
  })
}

function isProven({ evaluation: own }: KindResult, { evaluation: other }: KindResult): boolean {
  if (own.correct === own.n) return true
  const right = new Map(other.results.map(({ id, correct }) => [id, correct]))
  let won = 0
  let lost = 0
  for (const { id, correct } of own.results) {
    const isOtherRight = right.get(id)
    if (isOtherRight === undefined || isOtherRight === correct) continue
    if (correct) won++
    else lost++
  }
  return won - lost > Z_ONE_SIDED * Math.sqrt(won + lost)
}
