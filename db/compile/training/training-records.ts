import type { Json, Sha256 } from '../../../core/kernel/json/json.ts'
import type { Database } from '../../kernel/database.ts'
import { json } from '../../kernel/queries/typed.ts'
import { inTransaction } from '../../kernel/transaction.ts'
import { assertUnfinished, lockJob } from '../jobs/lock-job.ts'
import type { TRAINING_ROLES } from './training-record.ts'

/** What a record is. */
export type TrainingRole = (typeof TRAINING_ROLES)[number]

/** What all fits of a job share. */
export const WHOLE_JOB = 'job'

/** One record of a fit. */
export interface TrainingRecord {
  readonly role: TrainingRole
  readonly blobSha256: Sha256 | null
  readonly facts: Json
}

/**
 * Writes records of a fit, in place of those of the same role: a newer checkpoint replaces the older one, whose bytes
 * are then collected. All or none. Throws `compile_cancelled` or `already_finished` when the job is over.
 */
export async function putTrainingRecords(
  db: Database,
  input: {
    readonly jobId: string
    readonly fit: string
    readonly now: Date
    readonly records: readonly TrainingRecord[]
  },
): Promise<void> {
  const { jobId, fit, now, records } = input
  await inTransaction(db, null, async (tx) => {
    const job = await lockJob(tx, jobId, null)
    assertUnfinished(job)
    for (const { role, blobSha256, facts } of records) {
      const recorded = { blob_sha256: blobSha256, facts: json(facts), recorded_at: now }
      await tx.q
        .insertInto('training_records')
        .values({ job_id: jobId, fit, role, tenant_id: job.tenantId, ...recorded })
        .onConflict((on) => on.columns(['job_id', 'fit', 'role']).doUpdateSet(recorded))
        .execute()
    }
  })
}

/** What is kept of a fit, by role. */
export async function findTrainingRecords(
  db: Database,
  input: { readonly jobId: string; readonly fit: string },
): Promise<ReadonlyMap<TrainingRole, TrainingRecord>> {
  const rows = await db.query<TrainingRecord>(
    `select role, blob_sha256 as "blobSha256", facts from training_records where job_id = $1 and fit = $2`,
    [input.jobId, input.fit],
  )
  return new Map(rows.map((row) => [row.role, row]))
}

/** Lets go of everything that the fits of a job kept: its stage is over, and what counts stands in its result. */
export async function releaseTraining(db: Database, jobId: string): Promise<void> {
  await db.query('delete from training_records where job_id = $1', [jobId])
}

/** Lets go of what fits kept whose jobs are over: those that were cancelled or failed. Answers how many records. */
export async function collectTraining(db: Database): Promise<number> {
  const removed = await db.query(
    `delete from training_records where job_id in (
       select r.job_id from training_records r join compile_jobs j on j.id = r.job_id
       where j.finished_at is not null limit 200
     ) returning 1`,
  )
  return removed.length
}
