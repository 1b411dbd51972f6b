import type { JobStatus } from '../../../core/compile/rows/task.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { prepared } from '../../kernel/queries/compiled.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { CompileJob } from './compile-job.ts'

const JOB = [
  'id',
  'tenant_id as tenantId',
  'task',
  'base_model as baseModel',
  'k_score_floor as kScoreFloor',
  'spec',
  'dataset_hash as datasetHash',
  'dataset_sha256 as datasetSha256',
  'row_count as rowCount',
  'rows_sha256 as rowsSha256',
  'status',
  'stage',
  'progress',
  'concept_id as conceptId',
  'version_id as versionId',
  'k_score as kScore',
  'evaluation',
  'failing_rows as failingRows',
  'error_code as errorCode',
  'error_message as errorMessage',
  'cost_usd_micros as costUsdMicros',
  'compute_ms as computeMs',
  'created_at as createdAt',
  'admitted_at as admittedAt',
  'started_at as startedAt',
  'finished_at as finishedAt',
  'event_seq as eventSeq',
  'idempotency_route as idempotencyRoute',
  'idempotency_key as idempotencyKey',
  'idempotency_body_hash as idempotencyBodyHash',
  'idempotency_credential as idempotencyCredential',
] as const

/** A job and the tenant that it has to belong to. */
export interface JobKey {
  readonly jobId: string
  readonly tenantId: string
}

/** Returns the query of a job. */
export const jobOf = prepared((q, key: JobKey) =>
  q.selectFrom('compile_jobs').select(JOB).where('id', '=', key.jobId).where('tenant_id', '=', key.tenantId),
)

/** Returns one job of the tenant. Throws `not_found`, also for another tenant's job. */
export async function findJob(op: Operation, jobId: string): Promise<CompileJob> {
  return await findJobIn(op, { jobId, tenantId: op.tenantId })
}

/** Returns a job as `findJob` does, within a transaction. */
export async function findJobIn(from: Reader, key: JobKey): Promise<CompileJob> {
  const [job] = await from.read(() => jobOf(key))
  if (job === undefined) throw KERNEL_ERRORS.not_found('no such job')
  return job
}

const statusOf = prepared((q, key: JobKey) =>
  q.selectFrom('compile_jobs').select('status').where('id', '=', key.jobId).where('tenant_id', '=', key.tenantId),
)

/**
 * Returns the state of one job of the tenant, without its other columns. Throws `not_found`, also for another tenant's
 * job.
 */
export async function findJobStatus(op: Operation, jobId: string): Promise<JobStatus> {
  const [job] = await op.read(() => statusOf({ jobId, tenantId: op.tenantId }))
  if (job === undefined) throw KERNEL_ERRORS.not_found('no such job')
  return job.status
}
