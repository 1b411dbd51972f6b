import { inferColumns } from '../../../model/tabular/features/infer-columns.ts'
import type { RecipeKind, Row } from '../../rows/task.ts'
import { haveTexts } from '../sample/is-memorising.ts'
import type { KindResult } from './verify-types.ts'

/** Kinds of one cost that learn weights: of two that tie, the one with more right answers ships. */
export const LEARNERS: readonly RecipeKind[] = ['classifier', 'tabular']

/** The 0.95 quantile of the standard normal distribution: the paired test has one side. */
const Z_ONE_SIDED = 1.6448536269514722

/** Kinds of columns whose values have an order, which a classifier does not see: it reads `12.4` as the words 12 and 4. */
const ORDERED_COLUMNS: readonly string[] = ['number', 'date', 'length']

/**
 * Marks the kinds that another one outdoes. A program is one of very many, found because
 * it fits these rows. Over texts, some word separates any few rows by chance; over other inputs, a program that still misses
 * some of the rows that it was found on fits wrong labels. Either is the right rule less often than its score says
 * (`npm run bench -- noisy-sets`). So it has to be right on more rows than the best learner by the paired test of McNemar
 * (Psychometrika 12, 1947), one-sided at 5 %, unless its folds got every row right. A classifier has to pass that test beside a
 * tabular model of inputs with numbers or dates and without texts.
 * @param fitsAll whether the program gets every row right that it was found on
 */
export function markOutdone(
  results: readonly KindResult[],
  { rows, fitsAll }: { readonly rows: readonly Row[]; readonly fitsAll: (program: KindResult) => boolean },
): readonly KindResult[] {
  const learners = results.filter(({ kind }) => LEARNERS.includes(kind))
  const best = learners.toSorted((a, b) => b.evaluation.correct - a.evaluation.correct)[0]
  if (best === undefined) return results
  const tabular = learners.find(({ kind }) => kind === 'tabular')
  const haveOrder = tabular !== undefined && !haveTexts(rows) && haveOrderedColumns(rows)
  return results.map((result) => {
    if (result.kind === 'classifier' && haveOrder && result.scoring === tabular.scoring)
      return isOftenerRight(result, tabular) ? result : { ...result, outdoneBy: tabular.kind }
    if (result.kind !== 'program' || result.scoring !== best.scoring || isProven(result, best)) return result
    return !haveTexts(rows) && fitsAll(result) ? result : { ...result, outdoneBy: best.kind }
  })
}

function haveOrderedColumns(rows: readonly Row[]): boolean {
  const { columns } = inferColumns(rows.map(({ input }) => input))
  return columns.some(({ kind }) => ORDERED_COLUMNS.includes(kind))
}

function isProven(program: KindResult, learner: KindResult): boolean {
  return program.evaluation.correct === program.evaluation.n || isOftenerRight(program, learner)
}

/** The paired test of McNemar, one-sided at 5 %. */
function isOftenerRight({ evaluation: own }: KindResult, { evaluation: other }: KindResult): boolean {
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
