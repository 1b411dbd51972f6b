import { sql } from 'kysely'
import { isFinal, type JobStatus } from '../../../../core/compile/rows/task.ts'
import type { Limits } from '../../../../core/compile/limits.ts'
import { recordAudit, type NewAuditEntry } from '../../../ledger/audit/record-audit.ts'
import { settleUnpaidCompute } from '../../compute/record-compute.ts'
import { postEvents, type NewJobEvent } from '../../progress/events/append-event.ts'
import { postJobEnd } from '../../progress/events/subscribe.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { makeWebhookDue, skipWebhook } from '../../../accounts/webhooks/set-webhook.ts'
import { withdrawStart } from '../../../kernel/outbox/outbox.ts'
import { releaseCompile, settleCompile } from '../quota/reservation.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { recordJobUsage } from './record-job-usage.ts'
import { settleAcceptance } from '../../progress/acceptances/settle-acceptance.ts'
import { admitInTransaction } from '../start/admission.ts'
import type { CompileJob } from '../compile-job.ts'
import { deploySubject } from '../deploy-subject.ts'
import { findJobIn } from '../find-job.ts'
import { lockJob, type LockedJob } from '../lock-job.ts'
import { closeSteps } from './close-steps.ts'

/** A job in its final state. */
export interface FinishedJob {
  readonly job: CompileJob
  /** False when the job was final before: then it is unchanged. */
  readonly isFirst: boolean
  /** Jobs admitted to the freed place. */
  readonly admitted: readonly string[]
}

/** The end of a job: the additions of its kind of end to the common part. */
export interface Conclusion {
  readonly status: Exclude<JobStatus, 'queued' | 'running'>
  readonly events: readonly NewJobEvent[]
  readonly audit: NewAuditEntry
}

/** The job to end. */
interface FinishInput {
  readonly jobId: string
  /** True when the end is a signed archive, which a gated job that was accepted gets too. */
  readonly isSigned?: boolean
}

/**
 * Ends a job, exactly once, in one transaction: the state, its last events, the quota, the audit row. `conclude` runs
 * with the job locked, before all that. A final job stays as it is. Then admits the next waiting jobs to its place.
 */
export async function finishJob(
  op: Operation,
  input: FinishInput & { readonly limits: Limits },
  conclude: (tx: Transaction, job: LockedJob) => Promise<Conclusion>,
): Promise<FinishedJob> {
  const { hasFreedPlace, ...finished } = await concludeJob(op, input, conclude)
  return { ...finished, admitted: hasFreedPlace ? await admitNext(op, input) : [] }
}

const endJob = prepared(
  (q, row: { readonly jobId: string; readonly status: Conclusion['status']; readonly now: Date }) =>
    q
      .updateTable('compile_jobs')
      .set({
        status: row.status,
        finished_at: row.now,
        started_at: sql<Date>`coalesce(started_at, ${row.now}::timestamptz)`,
      })
      .where('id', '=', row.jobId),
)

async function concludeJob(
  op: Operation,
  input: FinishInput,
  conclude: (tx: Transaction, job: LockedJob) => Promise<Conclusion>,
): Promise<Omit<FinishedJob, 'admitted'> & { readonly hasFreedPlace: boolean }> {
  return await op.write(async (tx) => {
    const locked = await lockJob(tx, input.jobId, op.tenantId)
    const read = async () => await findJobIn(tx, { jobId: input.jobId, tenantId: op.tenantId })
    const isAccepted = input.isSigned === true && locked.isAccepted
    if (isFinal(locked.status) && !isAccepted) return { job: await read(), isFirst: false, hasFreedPlace: false }
    const now = op.now()
    if (isAccepted) await settleAcceptance(tx, { jobId: input.jobId, now })
    const conclusion = await conclude(tx, locked)
    await tx.flush()
    tx.post(endJob({ jobId: input.jobId, status: conclusion.status, now }))
    withdrawStart(tx, input.jobId)
    const open = await closeSteps(tx, locked, conclusion.status)
    postEvents(tx, input.jobId, [...open, ...conclusion.events], now)
    postJobEnd(tx, input.jobId)
    if (conclusion.status === 'ready') settleCompile(tx, input.jobId)
    else await releaseUnpaid(tx, input.jobId, now)
    await recordJobUsage(tx, {
      jobId: input.jobId,
      isReady: conclusion.status === 'ready',
      // The gate recorded what the teacher used.
      withTeacher: !isAccepted,
    })
    await settleHook(tx, { tenantId: op.tenantId, jobId: input.jobId }, conclusion.status, now)
    const job = await read()
    await recordAudit(tx, op, conclusion.audit)
    // A job that never had a place frees none.
    return { job, isFirst: true, hasFreedPlace: locked.isAdmitted && !isAccepted }
  })
}

/**
 * Admits the next waiting jobs in a transaction of its own: the finished job stays finished when this fails, and the
 * reconciler admits them.
 */
async function admitNext(op: Operation, { limits }: { readonly limits: Limits }): Promise<readonly string[]> {
  try {
    return await op.write(async (tx) => await admitInTransaction(tx, { tenantId: op.tenantId, limits, now: op.now() }))
  } catch (error) {
    op.db.warn(`jobs of ${op.tenantId} could not be admitted: ${String(error)}`)
    return []
  }
}

/** The message to the deploy hook is due with the artifact. A gated job may still be accepted, so its hook is kept. */
async function settleHook(
  tx: Transaction,
  { tenantId, jobId }: { readonly tenantId: string; readonly jobId: string },
  status: Conclusion['status'],
  now: Date,
): Promise<void> {
  const subject = deploySubject({ tenantId, jobId })
  if (status === 'ready') await makeWebhookDue(tx, subject, now)
  else await skipWebhook(tx, subject, { now, mayHappenLater: status === 'gated' })
}

/** Returns the units of a job without an artifact, and counts its compute time against the tenant's day. */
async function releaseUnpaid(tx: Transaction, jobId: string, now: Date): Promise<void> {
  await releaseCompile(tx, jobId)
  await settleUnpaidCompute(tx, { jobId, now })
}
