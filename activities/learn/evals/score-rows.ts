import { setImmediate as nextTurn } from 'node:timers/promises'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { EvalDefinition } from '../../../core/learn/evals/evaluation.ts'
import type { PreparedRow } from '../../../core/learn/evals/prompts/prepared.ts'
import type { EvalTarget } from '../../../core/learn/evals/targets/eval-target.ts'
import { withScoring, type ScoreRows } from '../../../core/learn/evals/thread/eval-threads.ts'
import { beginEvaluation, nextRows, recordOutcomes, type ScoredPlace } from '../../../db/learn/evals/run-evaluation.ts'
import { inSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { dialogueTarget } from '../bench/ask-row.ts'
import { openMarker, type MarkRow } from '../bench/mark-rows.ts'
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
      const { definition, rowCount, namespace } = begun
      const lane = definition.target.kind === 'base' ? ('long' as const) : ('short' as const)
      const scoring = { deps, ref, definition, rowCount }
      return await inSlot(deps, { lane, work: ref }, activity, async (working) => {
        const owner = { tenantId: ref.tenantId, namespace }
        const mark = await openMarker(deps, owner, definition, working)
        return await withTarget(
          deps,
          ref,
          definition,
          async (target) =>
            await withScoring(definition.set, working.signal, async (score) => {
              const asked = definition.bench?.benchmark === 'mtbench' ? dialogueTarget(target) : target
              return await scoreAll({ ...scoring, target: asked, score, mark }, working, begun.scoredCount)
            }),
        )
      })
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

interface Scoring {
  readonly deps: EvaluationDeps
  readonly ref: EvaluationRef
  readonly definition: EvalDefinition
  readonly rowCount: number
  readonly target: EvalTarget
  readonly score: ScoreRows
  readonly mark: MarkRow
}

async function scoreAll(
  { deps, ref, definition, rowCount, target, score, mark }: Scoring,
  activity: RunningActivity,
  before: number,
): Promise<number> {
  const { signal } = activity
  const op = operationOf(deps, ref)
  const tasks = new Map(definition.set.tasks.map((task) => [task.task, task]))
  let scored = before
  const answerOne = async (place: number, row: PreparedRow) => {
    const task = tasks.get(row.task)
    if (task === undefined) throw LEARN_ERRORS.evaluation_failed(`there is no task ${row.task}`)
    const answer = await target.answer(task, row, signal)
    return { place, row, ...answer, marks: await mark(row, answer.responses) }
  }
  for (;;) {
    signal.throwIfAborted()
    const rows = await nextRows(op, ref.evaluationId, ROWS_AT_ONCE)
    if (rows.length === 0) return scored
    const answers = await Promise.all(rows.map(async ({ place, sample }) => await answerOne(place, sample)))
    const results = await score(answers.map(({ row, responses, marks }) => ({ row, responses, marks })))
    const outcomes = results.flatMap(({ scores, isRight, rightRepeats }, at): readonly ScoredPlace[] => {
      const answer = answers[at]
      if (answer === undefined) return []
      const { place, responses, marks, cutTokens, silence = null, confidence = null } = answer
      const outcome = { responses, scores, rightRepeats, cutTokens, silence, confidence }
      return [{ place, isRight, outcome: marks === undefined ? outcome : { ...outcome, marks } }]
    })
    scored = await recordOutcomes(op, ref.evaluationId, outcomes)
    activity.note({ step: 'score', done: scored, total: rowCount })
    await nextTurn()
  }
}
