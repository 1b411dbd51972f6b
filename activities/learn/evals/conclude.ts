import { categoryOf } from '../../../core/compile/artifacts/diagnosis/category.ts'
import type { RowResultRecord } from '../../../core/compile/artifacts/diagnosis/row-result.ts'
import { hashJson } from '../../../core/kernel/json/json.ts'
import { answerOf } from '../../../core/learn/evals/evaluation.ts'
import type { SummaryRow } from '../../../core/learn/evals/scoring/summarize.ts'
import { summarizeInThread } from '../../../core/learn/evals/thread/eval-threads.ts'
import { recordRowResults } from '../../../db/compile/row-results/record-row-results.ts'
import { eachEvaluationRow, type EvaluationRow } from '../../../db/learn/evals/evaluation-rows.ts'
import { findEvaluation } from '../../../db/learn/evals/find-evaluation.ts'
import { resultRowId } from '../../../db/learn/evals/result-row-id.ts'
import { finishEvaluation } from '../../../db/learn/evals/run-evaluation.ts'
import { inSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type EvaluationDeps, type EvaluationRef } from './deps.ts'

/**
 * Ends an evaluation with the figures of its rows; of an artifact, results of rows go where its diagnosis reads them. Safe
 * to repeat: the same rows give the same figures, and the evaluation ends once.
 */
export async function concludeEvaluation(deps: EvaluationDeps, ref: EvaluationRef): Promise<void> {
  await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const { definition, namespace, finishedAt } = await findEvaluation(op, ref.evaluationId)
      if (finishedAt !== null) return
      const rows: SummaryRow[] = []
      const results: RowResultRecord[] = []
      for await (const row of eachEvaluationRow(op, ref.evaluationId)) {
        const { sample, outcome } = row
        if (outcome === null || outcome === undefined) continue
        rows.push({ ...sample, scores: outcome.scores, rightRepeats: outcome.rightRepeats })
        if (definition.target.kind === 'artifact') results.push(resultOf(row, outcome, namespace))
        activity.progress()
      }
      const summary = await inSlot(deps, { lane: 'short', work: ref }, activity, async ({ signal }) =>
        summarizeInThread({ set: definition.set, rows }, signal),
      )
      const { target } = definition
      if (target.kind === 'artifact') {
        const { artifactId, cid } = target
        const owner = { tenantId: ref.tenantId, artifactId, cid, source: ref.evaluationId }
        await op.write(async (tx) => {
          recordRowResults(tx, owner, results)
          await Promise.resolve()
        })
      }
      await finishEvaluation(op, ref, { summary })
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

function resultOf(
  { place, task, sample, isRight }: EvaluationRow,
  outcome: NonNullable<EvaluationRow['outcome']>,
  namespace: string,
): RowResultRecord {
  const [request] = sample.requests
  const input = request?.type === 'generate_until' ? request.input : null
  const right = isRight === true
  return {
    rowId: resultRowId(task, sample.docId),
    place,
    fold: null,
    result: right ? 'right' : outcome.silence === null || outcome.silence === 'refused' ? 'wrong' : outcome.silence,
    right,
    confidence: outcome.confidence,
    category: sample.slice ?? categoryOf(input ?? undefined, namespace),
    unlike: null,
    failedChecks: [],
    rowHash: hashJson({ expected: sample.target, input }),
    gotHash: hashJson(answerOf(outcome)),
  }
}
