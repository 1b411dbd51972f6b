import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { targetName } from '../../../core/learn/evals/evaluation.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { Evaluate } from '../../../core/learn/workflows.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { requireCompute } from '../../compile/compute/allowance.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { inAllNamespaces, lockInTransaction } from '../../kernel/transaction.ts'
import { requireRoomToRun, termsOf } from './create-evaluation.ts'
import { findEvaluation } from './find-evaluation.ts'

/**
 * Starts a failed evaluation again, from the rows that are not scored: no answer is asked for twice. Throws `not_found`,
 * `evaluation_not_failed` for one that runs, succeeded or was imported, `too_many_evaluations`, and `compute_exhausted` where a base
 * answers.
 */
export async function resumeEvaluation(op: Operation, id: string, limits: Limits): Promise<void> {
  const { definition, rowCount: rows, namespace } = await findEvaluation(op, id)
  await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    const { isMetered, takesTurns } = await termsOf(tx, op, definition)
    if (isMetered) await requireCompute(tx, { tenantId: op.tenantId, limits, now: op.now() })
    await lockInTransaction(tx, `evaluations ${op.tenantId}`)
    await inAllNamespaces(tx, 'the limits are of the whole tenant', async () => await requireRoomToRun(tx, op, limits))
    const [resumed] = await tx.q
      .updateTable('evaluations')
      .set((of) => ({
        state: 'queued',
        error_code: null,
        error_message: null,
        finished_at: null,
        attempt: of('attempt', '+', 1),
      }))
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'failed')
      .returning('attempt')
      .execute()
    if (resumed === undefined) throw LEARN_ERRORS.evaluation_not_failed('only an evaluation that failed can be resumed')
    const target = targetName(definition.target)
    const asksModel = definition.target.kind === 'model'
    const { attempt } = resumed
    const run = { evaluationId: id, tenantId: op.tenantId, rows, target, asksModel, attempt, takesTurns }
    await requestStart(tx, Evaluate, run)
    await recordAudit(tx, op, {
      action: 'evaluation.resumed',
      target: id,
      payload: { evaluation_id: id, namespace, target, attempt },
    })
  })
}
