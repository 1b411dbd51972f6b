import type { JobStatus } from '../../../core/compile/task.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { Database } from '../../kernel/database.ts'
import { boundsOf, fieldInBounds, jobInBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { forkForTenant } from '../../kernel/tables/tenant-filter.ts'
import { CompileJobEntity, type CompileJob } from './compile-job.ts'
import type { JobStage } from './stages/job-stage.ts'

/** One job of the tenant. Throws `not_found`, also for another tenant's job. */
export async function findJob(op: Operation, jobId: string): Promise<CompileJob> {
  const job = await forkForTenant(op.db, op.tenantId).findOne(CompileJobEntity, {
    $and: [{ id: jobId }, fieldInBounds(op, 'id')],
  })
  if (job === null) throw new DomainError('not_found', 'no such job')
  return job
}

/** One job of whatever tenant, for the activities that work on it. Throws `not_found`. */
export async function findJobForWork(db: Database, jobId: string): Promise<CompileJob> {
  const job = await db.fork().findOne(CompileJobEntity, { id: jobId }, { filters: false })
  if (job === null) throw new DomainError('not_found', 'no such job')
  return job
}

/** How one job of the tenant stands, and nothing else of it. Throws `not_found`, also for another tenant's job. */
export async function findJobStatus(op: Operation, jobId: string): Promise<JobStatus> {
  const [job] = await op.db.query<{ readonly status: JobStatus }>(
    `select status from compile_jobs where id = $1 and tenant_id = $2 and ${jobInBounds('compile_jobs.id', 3)}`,
    [jobId, op.tenantId, boundsOf(op)],
  )
  if (job === undefined) throw new DomainError('not_found', 'no such job')
  return job.status
}

/** A stage as it is shown. */
export type JobStageSummary = Pick<JobStage, 'stage' | 'attempts' | 'startedAt' | 'completedAt' | 'outcome' | 'cost'>

/**
 * The stages of one job of the tenant that have begun, in order of their begin. Throws `not_found`, also for another
 * tenant's job.
 */
export async function jobStages(op: Operation, jobId: string): Promise<readonly JobStageSummary[]> {
  const rows = await op.db.query<JobStageSummary | (Partial<JobStageSummary> & { readonly stage: null })>(
    `select s.stage, s.attempts, s.started_at as "startedAt", s.completed_at as "completedAt", s.outcome, s.cost
     from compile_jobs j left join job_stages s on s.job_id = j.id
     where j.id = $1 and j.tenant_id = $2 and ${jobInBounds('j.id', 3)} order by s.started_at`,
    [jobId, op.tenantId, boundsOf(op)],
  )
  if (rows.length === 0) throw new DomainError('not_found', 'no such job')
  return rows.filter((row) => row.stage !== null)
}
