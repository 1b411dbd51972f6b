import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { isUnfinished } from '../../../core/learn/distill/cloud/states.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
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
 * Cancels a cloud job, and its distillation where that has begun; the caller also ends their workflows. The line in the ledger is written
 * with what makes the job cancelled: its mark, or the end of its distillation. Throws `not_found`, and
 * `invalid_transition` with its state for a job that is over.
 */
export async function cancelCloudJob(
  op: Operation,
  { id, reason, limits }: { readonly id: string; readonly reason: string | null; readonly limits: Limits },
): Promise<CancelledCloudJob> {
  const job = await findCloudJob(op, id)
  if (!isUnfinished(job.state)) throw isOver(job.state)
  const { cancelledAt, isRecorded } = await markCancelled(op, id, reason)
  // Its distillation may have begun meanwhile: what begins one looks for this mark afterwards.
  const { runId } = await findCloudJob(op, id)
  if (runId === null) return { cancelledAt, workflows: [] }
  let isWritten = isRecorded
  const also = async (tx: Transaction): Promise<void> => {
    if (!isRecorded) await recordCancellation(tx, op, id)
    isWritten = true
  }
  try {
    const workflows = await cancelWithCompile(op, { runId, limits, also })
    // What began the distillation found the mark first, and ended it.
    if (!isWritten) await op.write(async (tx) => await recordCancellation(tx, op, id))
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

interface Marked {
  readonly cancelledAt: Date
  /** True for a job without a distillation: it is cancelled by its mark, and the ledger says so. */
  readonly isRecorded: boolean
}

async function markCancelled(op: Operation, id: string, reason: string | null): Promise<Marked> {
  return await op.write(async (tx) => {
    const now = op.now()
    const [job] = await tx.q
      .selectFrom('cloud_jobs as c')
      .select((of) => [
        'c.cancelled_at as cancelledAt',
        of.exists(of.selectFrom('distill_runs as r').select('r.id').whereRef('r.id', '=', 'c.run_id')).as('isStarted'),
      ])
      .where('c.id', '=', id)
      .where('c.tenant_id', '=', op.tenantId)
      .forUpdate('c')
      .execute()
    const cancelledAt = job?.cancelledAt ?? now
    await tx.q
      .updateTable('cloud_jobs')
      .set((of) => ({
        cancelled_at: cancelledAt,
        cancel_reason: reason,
        settled_at: of.fn.coalesce('settled_at', of.val(now)),
      }))
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .execute()
    const isRecorded = job?.isStarted === false
    if (isRecorded && job.cancelledAt === null) await recordCancellation(tx, op, id)
    return { cancelledAt, isRecorded }
  })
}

async function recordCancellation(tx: Transaction, op: Operation, id: string): Promise<void> {
  await recordAudit(tx, op, { action: 'cloud_job.cancelled', target: id, payload: { job_id: id } })
}

function isOver(state: string) {
  return COMPILE_ERRORS.invalid_transition(`the cloud job is ${state} already`, { details: { current_state: state } })
}
