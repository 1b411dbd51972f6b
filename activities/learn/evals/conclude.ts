import type { PackedResults } from '../../../core/compile/artifacts/diagnosis/packed-results.ts'
import { recordPackedResults } from '../../../db/compile/row-results/record-row-results.ts'
import { eachOutcomes } from '../../../db/learn/evals/evaluation-rows.ts'
import { findEvaluation } from '../../../db/learn/evals/find-evaluation.ts'
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
      const results: PackedResults[] = []
      const { set, target } = definition
      const input = { set, namespace, hasResults: target.kind === 'artifact' }
      const summary = await inSlot(deps, { lane: 'short', work: ref }, activity, async ({ signal }) =>
        deps.scoring.withSummary(input, signal, async (thread) => {
          for await (const rows of eachOutcomes(op, ref.evaluationId)) {
            const packed = await thread.add(rows)
            if (packed !== null) results.push(packed)
            activity.progress()
          }
          return await thread.summarize()
        }),
      )
      if (target.kind === 'artifact') {
        const { artifactId, cid } = target
        const owner = { tenantId: ref.tenantId, artifactId, cid, source: ref.evaluationId }
        await op.write(async (tx) => {
          for (const packed of results) recordPackedResults(tx, owner, packed)
          await Promise.resolve()
        })
      }
      await finishEvaluation(op, ref, { summary })
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}
