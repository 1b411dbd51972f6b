import { DomainError } from '../../core/errors.ts'
import type { Database } from '../database.ts'
import type { Operation } from '../operation.ts'
import { forkForTenant } from '../tenant-filter.ts'
import { CompileJobEntity, type CompileJob } from './compile-job.ts'
import { JobStageEntity, type JobStage } from './job-stage.ts'

/** One job of the tenant. Throws `not_found`, also for another tenant's job. */
export async function findJob(op: Operation, jobId: string): Promise<CompileJob> {
  const job = await forkForTenant(op.db, op.tenantId).findOne(CompileJobEntity, { id: jobId })
  if (job === null) throw new DomainError('not_found', 'no such job')
  return job
}

/** One job of whatever tenant, for the activities that work on it. Throws `not_found`. */
export async function findJobForWork(db: Database, jobId: string): Promise<CompileJob> {
  const job = await db.fork().findOne(CompileJobEntity, { id: jobId }, { filters: false })
  if (job === null) throw new DomainError('not_found', 'no such job')
  return job
}

/** The stages of one job of the tenant that have begun, in order of their begin. */
export async function jobStages(op: Operation, jobId: string): Promise<readonly JobStage[]> {
  await findJob(op, jobId)
  return await op.db.fork().find(JobStageEntity, { jobId }, { orderBy: { startedAt: 'asc' }, filters: false })
}
