import { isSameOutput } from '../../rows/equality/same-output.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import type { Row } from '../../rows/task.ts'
import type { Runner } from '../../runtime/recipe.ts'
import type { FoldAnswer } from '../stage-types.ts'
import { answerOf, judgeAnswer, summarize, type Answer, type EvaluationOptions } from './evaluate.ts'
import { measureLatency } from './measure-latency.ts'
import { isEvaluated } from './not-evaluated.ts'
import type { Evaluation } from './score-types.ts'

/** Rows on which the recipes of folds are compared with the one that ships. */
const COMPARED_ROWS = 2000

/**
 * Judges the answers of the folds. The recipe fitted on all rows gives the latency, and where it answers otherwise than the
 * folds do, the interval is wider. A row whose fold was not finished is left out: it counts neither as right nor as wrong.
 */
export function evaluateFolds(
  folds: readonly FoldAnswer[],
  rows: readonly Row[],
  runner: Runner,
  options: EvaluationOptions,
): Evaluation {
  const answers = new Map(folds.map((fold) => [fold.id, fold]))
  const scored = rows.flatMap((row, place) => {
    const answer = answers.get(row.id)
    return isEvaluated(answer) ? [{ row, place, answer }] : []
  })
  const results = scored.map(({ row, place, answer }) =>
    judgeAnswer(row, answer, { ...options, judging: options.checksFor(place) }),
  )
  const compared = scored.slice(0, COMPARED_ROWS)
  const differing = compared.filter(
    ({ row, answer }) => !isAlike(answerOf(runner, row.input), answer, row, options.equality),
  )
  const latency = measureLatency(
    runner,
    rows.map(({ input }) => input),
  )
  return summarize(results, latency, (differing.length * scored.length) / Math.max(1, compared.length))
}

/**
 * Returns true for two equal outputs, and for two answers without one. Within a tolerance two outputs may be equal where only one
 * is right, and differ where both are: then what counts is whether both are right.
 */
function isAlike(own: Answer, other: Answer, row: Row, equality: Equality): boolean {
  const [isOwn, isOther] = [isAnswer(own), isAnswer(other)]
  if (!isOwn || !isOther) return isOwn === isOther
  const [isOwnRight, isOtherRight] = [own, other].map(({ output }) => isSameOutput(equality, output, row.output))
  if (isOwnRight !== isOtherRight) return false
  return isOwnRight === true || isSameOutput(equality, own.output, other.output)
}

function isAnswer({ error, abstained }: Answer): boolean {
  return error === null && !abstained
}
