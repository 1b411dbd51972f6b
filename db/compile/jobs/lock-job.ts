import { sql } from 'kysely'
import type { JobStatus } from '../../../core/compile/rows/task.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { prepared } from '../../kernel/queries/compiled.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** A job whose row is locked until the end of the transaction. */
export interface LockedJob {
  readonly id: string
  readonly tenantId: string
  readonly status: JobStatus
  readonly task: string
  readonly conceptId: string | null
  readonly baseModel: string
  readonly kScoreFloor: number
  readonly isAdmitted: boolean
  /** True for a gated job whose candidate was accepted and is not signed yet: its last stages may run. */
  readonly isAccepted: boolean
}

const lockedJob = prepared((q, key: { readonly jobId: string; readonly tenantId: string }) =>
  q
    .selectFrom('compile_jobs')
    .select((of) => [
      'id',
      'tenant_id as tenantId',
      'status',
      'task',
      'concept_id as conceptId',
      'base_model as baseModel',
      'k_score_floor as kScoreFloor',
      sql<boolean>`admitted_at is not null`.as('isAdmitted'),
      of
        .and([
          of('status', '=', 'gated'),
          of.exists(
            of
              .selectFrom('compile_acceptances as a')
              .select('a.job_id')
              .whereRef('a.job_id', '=', 'compile_jobs.id')
              .where('a.state', '=', 'pending'),
          ),
        ])
        .$castTo<boolean>()
        .as('isAccepted'),
    ])
    .where('id', '=', key.jobId)
    .where('tenant_id', '=', key.tenantId)
    .forNoKeyUpdate(),
)

/**
 * Locks a job, so that its state changes happen one after another. Locks are taken in one order everywhere: job,
 * concept, admission, quota, audit. Throws `not_found`.
 */
export async function lockJob(tx: Transaction, jobId: string, tenantId: string): Promise<LockedJob> {
  const [job] = await tx.send(lockedJob({ jobId, tenantId }))
  if (job === undefined) throw KERNEL_ERRORS.not_found('no such job')
  return job
}

/** Throws `compile_cancelled` or `already_finished` when the job takes no more work. */
export function assertUnfinished(job: LockedJob): void {
  if (job.status === 'cancelled') throw MODEL_ERRORS.compile_cancelled('the compile was cancelled')
  if (job.status !== 'queued' && job.status !== 'running' && !job.isAccepted) {
    throw COMPILE_ERRORS.already_finished(`the job is ${job.status} already`)
  }
}
