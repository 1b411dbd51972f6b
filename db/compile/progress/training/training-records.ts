import type { Json, Sha256 } from '../../../../core/kernel/json/json.ts'
import type { TenantAccess } from '../../../kernel/operation.ts'
import { json } from '../../../kernel/queries/typed.ts'
import { assertUnfinished, lockJob } from '../../jobs/lock-job.ts'
import type { TRAINING_ROLES } from './training-record.ts'

/** Content of a record. */
export type TrainingRole = (typeof TRAINING_ROLES)[number]

/** Data shared by all fits of a job. */
export const WHOLE_JOB = 'job'

/** One record of a fit. */
export interface TrainingRecord {
  readonly role: TrainingRole
  readonly blobSha256: Sha256 | null
  readonly facts: Json
}

/**
 * Writes records of a fit, replacing those of the same role: a newer checkpoint replaces the older one, whose bytes are
 * then collected. All or none. Throws `compile_cancelled` or `already_finished` when the job is over.
 */
export async function putTrainingRecords(
  op: TenantAccess,
  input: {
    readonly jobId: string
    readonly fit: string
    readonly now: Date
    readonly records: readonly TrainingRecord[]
  },
): Promise<void> {
  const { jobId, fit, now, records } = input
  await op.write(async (tx) => {
    assertUnfinished(await lockJob(tx, jobId, op.tenantId))
    for (const { role, blobSha256, facts } of records) {
      const recorded = { blob_sha256: blobSha256, facts: json(facts), recorded_at: now }
      await tx.q
        .insertInto('training_records')
        .values({ job_id: jobId, fit, role, tenant_id: op.tenantId, ...recorded })
        .onConflict((on) => on.columns(['job_id', 'fit', 'role']).doUpdateSet(recorded))
        .execute()
    }
  })
}

/** Records of a fit, by role. */
export async function findTrainingRecords(
  op: TenantAccess,
  input: { readonly jobId: string; readonly fit: string },
): Promise<ReadonlyMap<TrainingRole, TrainingRecord>> {
  const rows = await op.read((q) =>
    q
      .selectFrom('training_records')
      .select(['role', 'blob_sha256 as blobSha256', 'facts'])
      .where('tenant_id', '=', op.tenantId)
      .where('job_id', '=', input.jobId)
      .where('fit', '=', input.fit),
  )
  return new Map(rows.map((row) => [row.role, row]))
}

/** Releases all records of a job's fits: its stage is over, and its result holds what the later stages need. */
export async function releaseTraining(op: TenantAccess, jobId: string): Promise<void> {
  await op.write(async (tx) => await tx.q.deleteFrom('training_records').where('job_id', '=', jobId).execute())
}
