import type { JobStatus } from '../../../core/compile/rows/task.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { CompileJob } from './compile-job.ts'
import type { JobStage } from './stages/job-stage.ts'

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

/** Returns one job of the tenant. Throws `not_found`, also for another tenant's job. */
export async function findJob(op: Operation, jobId: string): Promise<CompileJob> {
  return await findJobIn(op, { jobId, tenantId: op.tenantId })
}

/** Returns a job as `findJob` does, within a transaction. */
export async function findJobIn(
  from: Reader,
  { jobId, tenantId }: { readonly jobId: string; readonly tenantId: string },
): Promise<CompileJob> {
  const [job] = await from.read((q) =>
    q.selectFrom('compile_jobs').select(JOB).where('id', '=', jobId).where('tenant_id', '=', tenantId),
  )
  if (job === undefined) throw KERNEL_ERRORS.not_found('no such job')
  return job
}

/**
 * Returns the state of one job of the tenant, without its other columns. Throws `not_found`, also for another tenant's
 * job.
 */
export async function findJobStatus(op: Operation, jobId: string): Promise<JobStatus> {
  const [job] = await op.read((q) =>
    q.selectFrom('compile_jobs').select('status').where('id', '=', jobId).where('tenant_id', '=', op.tenantId),
  )
  if (job === undefined) throw KERNEL_ERRORS.not_found('no such job')
  return job.status
}

/** A stage for display. */
export type JobStageSummary = Pick<JobStage, 'stage' | 'attempts' | 'startedAt' | 'completedAt' | 'outcome' | 'cost'>

/**
 * Lists the begun stages of one job of the tenant, in order of their start. Throws `not_found`, also for another
 * tenant's job.
 */
export async function jobStages(op: Operation, jobId: string): Promise<readonly JobStageSummary[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('compile_jobs as j')
      .leftJoin('job_stages as s', 's.job_id', 'j.id')
      .select([
        's.stage',
        's.attempts',
        's.started_at as startedAt',
        's.completed_at as completedAt',
        's.outcome',
        's.cost',
      ])
      .where('j.id', '=', jobId)
      .where('j.tenant_id', '=', op.tenantId)
      .orderBy('s.started_at'),
  )
  if (rows.length === 0) throw KERNEL_ERRORS.not_found('no such job')
  return rows.flatMap(({ stage, attempts, startedAt, ...rest }) =>
    stage === null || attempts === null || startedAt === null ? [] : [{ stage, attempts, startedAt, ...rest }],
  )
}
