import type { DomainError } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import type { RecipeKind, Row } from '../../rows/task.ts'
import type { FoldAnswer, KindCandidates } from '../stage-types.ts'
import type { NotEvaluated } from '../judge/verify-types.ts'

/** Row ids that are listed; all are counted. */
const MAX_LISTED = 100
/** Row ids that a message names. */
const MAX_NAMED = 5

/** Returns true when a fold was finished. An unfinished fold counts neither for nor against its row. */
export function isEvaluated(fold: FoldAnswer | undefined): fold is FoldAnswer {
  return fold !== undefined && fold.error !== 'out_of_budget'
}

/** The rows of a kind whose folds were not finished; null when all were, and where no folds are needed. */
export function findNotEvaluated({ kind, folds }: KindCandidates, rows: readonly Row[]): NotEvaluated | null {
  if (folds === null) return null
  const byId = new Map(folds.map((fold) => [fold.id, fold]))
  const open = rows.filter(({ id }) => !isEvaluated(byId.get(id)))
  if (open.length === 0) return null
  return { kind, rows: open.length, of: rows.length, row_ids: open.slice(0, MAX_LISTED).map(({ id }) => id) }
}

/** Describes in words which rows were not evaluated. */
export function describeNotEvaluated({ kind, rows, of, row_ids: ids }: NotEvaluated): string {
  const named = ids.slice(0, MAX_NAMED).join(', ')
  return `${rows} of ${of} rows could not be evaluated for the kind ${kind} (${named}${rows > MAX_NAMED ? ', …' : ''})`
}

const ADVICE =
  'give shorter examples, mark some with `kind: "test"` to score on them instead, or ask for another kind of recipe'

/** The error of a job whose rows were not all evaluated. Its details list the rows by kind. */
export function evaluationIncomplete(open: readonly NotEvaluated[]): DomainError {
  const what = open.map(describeNotEvaluated).join('; ')
  return COMPILE_ERRORS.evaluation_incomplete(
    `${what}: the search without the folds of these rows reached its limit before it was done; ${ADVICE}`,
    { details: { not_evaluated: open } },
  )
}

/** Returns the error of a job without a passing recipe when the clock ended the search of some kinds. */
export function searchIncomplete(kinds: readonly RecipeKind[], rows: readonly Row[]): DomainError {
  const ids = rows.slice(0, MAX_LISTED).map(({ id }) => id)
  return COMPILE_ERRORS.evaluation_incomplete(
    `${rows.length} rows could not be evaluated for the kind ${kinds.join(', ')}: the search reached its time limit before it found a recipe; ${ADVICE}`,
    {
      details: {
        not_evaluated: kinds.map((kind): NotEvaluated => ({ kind, rows: rows.length, of: rows.length, row_ids: ids })),
      },
    },
  )
}
