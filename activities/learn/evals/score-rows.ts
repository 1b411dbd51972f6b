import { setImmediate as nextTurn } from 'node:timers/promises'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { EvalDefinition } from '../../../core/learn/evals/evaluation.ts'
import type { PreparedRow } from '../../../core/learn/evals/prompts/prepared.ts'
import { createScorer } from '../../../core/learn/evals/scoring/score-row.ts'
import type { EvalTarget } from '../../../core/learn/evals/targets/eval-target.ts'
import { beginEvaluation, nextRows, recordOutcomes, type ScoredPlace } from '../../../db/learn/evals/run-evaluation.ts'
import { inSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type EvaluationDeps, type EvaluationRef } from './deps.ts'
import { withTarget } from './open-target.ts'

/** Rows that are asked for at once, and recorded together: a crash repeats at most these. */
const ROWS_AT_ONCE = 16

/**
 * Scores the rows of an evaluation that are not scored. Safe to repeat: outcomes are recorded as they arrive, each once. Returns the
 * number of rows that are scored.
 */
export async function scoreRows(deps: EvaluationDeps, ref: EvaluationRef): Promise<number> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const begun = await beginEvaluation(op, ref.evaluationId)
      if (begun === null) return 0
      const { definition, rowCount } = begun
      const lane = definition.target.kind === 'base' ? ('long' as const) : ('short' as const)
      const scoring = { deps, ref, definition, rowCount }
      return await inSlot(deps, { lane, work: ref }, activity, async (working) =>
        withTarget(
          deps,
          ref,
          definition,
          async (target) => await scoreAll(scoring, target, working, begun.scoredCount),
        ),
      )
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

interface Scoring {
  readonly deps: EvaluationDeps
  readonly ref: EvaluationRef
  readonly definition: EvalDefinition
  readonly rowCount: number
}

async function scoreAll(
  { deps, ref, definition, rowCount }: Scoring,
  target: EvalTarget,
  activity: RunningActivity,
  before: number,
): Promise<number> {
  const { signal } = activity
  const op = operationOf(deps, ref)
  const tasks = new Map(definition.set.tasks.map((task) => [task.task, { task, score: createScorer(task) }]))
  let scored = before
  const scoreOne = async (place: number, row: PreparedRow): Promise<ScoredPlace> => {
    const known = tasks.get(row.task)
    if (known === undefined) throw LEARN_ERRORS.evaluation_failed(`there is no task ${row.task}`)
    const { responses, cutTokens, silence = null, confidence = null } = await target.answer(known.task, row, signal)
    const { scores, isRight, rightRepeats } = known.score(row, responses)
    return { place, isRight, outcome: { responses, scores, rightRepeats, cutTokens, silence, confidence } }
  }
  for (;;) {
    signal.throwIfAborted()
    const rows = await nextRows(op, ref.evaluationId, ROWS_AT_ONCE)
    if (rows.length === 0) return scored
    const outcomes = await Promise.all(rows.map(async ({ place, sample }) => await scoreOne(place, sample)))
    scored = await recordOutcomes(op, ref.evaluationId, outcomes)
    activity.note({ step: 'score', done: scored, total: rowCount })
    await nextTurn()
  }
}
