import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import type { Artifact } from '../../artifacts/artifact.ts'
import { artifactOf } from '../../artifacts/find-artifact.ts'
import type { CompileJob } from '../compile-job.ts'
import type { JobKey } from '../find-job.ts'
import type { JobStage } from './job-stage.ts'

/** A stage for display. */
export type JobStageSummary = Pick<JobStage, 'stage' | 'attempts' | 'startedAt' | 'completedAt' | 'outcome' | 'cost'>

/** Rows that belong to a job. */
export interface JobDetails {
  /** The begun stages, in the order of their start. */
  readonly stages: readonly JobStageSummary[]
  /** Of a job that is ready. */
  readonly artifact: Artifact | undefined
}

/** One row without a stage for a job that began none. */
const stagesOf = prepared((q, key: JobKey) =>
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
    .where('j.id', '=', key.jobId)
    .where('j.tenant_id', '=', key.tenantId)
    .orderBy('s.started_at'),
)

/**
 * Returns what belongs to a job of the tenant, in one round trip. Throws `not_found`, also for another tenant's job and for
 * a job that is ready and has no artifact.
 */
export async function jobDetails(
  op: Operation,
  { id, status }: Pick<CompileJob, 'id' | 'status'>,
): Promise<JobDetails> {
  const { tenantId } = op
  const [stages, [artifact]] = await op.read(() => [
    stagesOf({ jobId: id, tenantId }),
    artifactOf({ artifactId: id, tenantId }),
  ])
  if (stages.length === 0) throw KERNEL_ERRORS.not_found('no such job')
  const isReady = status === 'ready'
  if (isReady && artifact === undefined) throw KERNEL_ERRORS.not_found('no such artifact')
  return {
    stages: stages.flatMap(({ stage, attempts, startedAt, ...rest }) =>
      stage === null || attempts === null || startedAt === null ? [] : [{ stage, attempts, startedAt, ...rest }],
    ),
    artifact: isReady ? artifact : undefined,
  }
}
