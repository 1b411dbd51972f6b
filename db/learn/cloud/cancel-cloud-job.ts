import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { isUnfinished } from '../../../core/learn/distill/cloud/states.ts'
import type { Operation } from '../../kernel/operation.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { cancelWithCompile, type CancelledWorkflows } from '../distill/cancel-with-compile.ts'
import { findCloudJob } from './find-cloud-job.ts'

/** A cancelled job. */
export interface CancelledCloudJob {
  readonly cancelledAt: Date
  /** Workflows of its distillation to end; none when it had not begun. */
  readonly workflows: CancelledWorkflows
}

/**
 * Cancels a cloud job, and its distillation where that has begun; the caller also ends their workflows. Throws `not_found`, and
 * `invalid_transition` with its state for a job that is over.
 */
export async function cancelCloudJob(
  op: Operation,
  { id, reason, limits }: { readonly id: string; readonly reason: string | null; readonly limits: Limits },
): Promise<CancelledCloudJob> {
  const job = await findCloudJob(op, id)
  if (!isUnfinished(job.state)) throw isOver(job.state)
  const cancelledAt = await markCancelled(op, id, reason)
  // Its distillation may have begun meanwhile: what begins one looks for this mark afterwards.
  const { runId } = await findCloudJob(op, id)
  try {
    const workflows = runId === null ? [] : await cancelWithCompile(op, { runId, limits })
    await op.write(
      async (tx) => await recordAudit(tx, op, { action: 'cloud_job.cancelled', target: id, payload: { job_id: id } }),
    )
    return { cancelledAt, workflows }
  } catch (error) {
    if (!COMPILE_ERRORS.already_finished.matches(error)) throw error
    await unmark(op, id)
    throw isOver((await findCloudJob(op, id)).state)
  }
}

/** Takes the mark off a job whose distillation had ended: it was not cancelled. */
async function unmark(op: Operation, id: string): Promise<void> {
  await op.write(
    async (tx) =>
      await tx.q
        .updateTable('cloud_jobs')
        .set({ cancelled_at: null, cancel_reason: null })
        .where('id', '=', id)
        .where('tenant_id', '=', op.tenantId)
        .execute(),
  )
}

async function markCancelled(op: Operation, id: string, reason: string | null): Promise<Date> {
  return await op.write(async (tx) => {
    const now = op.now()
    const [marked] = await tx.q
      .updateTable('cloud_jobs')
      .set((of) => ({
        cancelled_at: of.fn.coalesce('cancelled_at', of.val(now)),
        cancel_reason: reason,
        settled_at: of.fn.coalesce('settled_at', of.val(now)),
      }))
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .returning('cancelled_at as cancelledAt')
      .execute()
    return marked?.cancelledAt ?? now
  })
}

function isOver(state: string) {
  return COMPILE_ERRORS.invalid_transition(`the cloud job is ${state} already`, { details: { current_state: state } })
}
