import type { ErrorCode } from '../../../../core/compile/errors.ts'
import { releaseCompile } from '../../jobs/quota/reservation.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import { postEvents, type NewJobEvent } from '../events/append-event.ts'
import { closeSteps } from '../../jobs/finish/close-steps.ts'
import { lockJob } from '../../jobs/lock-job.ts'

/**
 * Ends a pending acceptance without an archive and returns its units; the job stays gated, and `gated` is its last event
 * again. A no-op for one that is over.
 */
export async function failAcceptance(
  op: Operation,
  { jobId, errorCode }: { readonly jobId: string; readonly errorCode: ErrorCode },
): Promise<void> {
  await op.write(async (tx) => {
    const now = op.now()
    const job = await lockJob(tx, jobId, op.tenantId)
    const ended = await tx.q
      .updateTable('compile_acceptances')
      .set({ state: 'failed', error_code: errorCode, finished_at: now })
      .where('job_id', '=', jobId)
      .where('state', '=', 'pending')
      .returning('job_id')
      .execute()
    if (ended.length === 0) return
    await releaseCompile(tx, jobId)
    const message = `the accepted candidate was not signed: ${errorCode}`
    const closing: NewJobEvent[] = [
      { kind: 'log', body: { step: 'sign', code: 'acceptance_failed', message } },
      { kind: 'gated', body: { job: jobId, error_code: errorCode, error: message, k_score_floor: job.kScoreFloor } },
    ]
    postEvents(tx, jobId, [...(await closeSteps(tx, job, 'gated')), ...closing], now)
    await recordAudit(tx, op, {
      action: 'compile.acceptance_failed',
      target: jobId,
      payload: { job_id: jobId, error: errorCode },
    })
  })
}
