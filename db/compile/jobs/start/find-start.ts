import { isFinal, type JobStatus } from '../../../../core/compile/task.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import type { Database } from '../../../kernel/database.ts'
import { markStarted } from './outbox.ts'

/** What the workflow of a job is started with. */
export interface JobStart {
  readonly jobId: string
  readonly tenantId: string
  readonly plan: PlanId
  /** Number of examples. */
  readonly rows: number
  readonly kScoreFloor: number
  readonly baseModel: string
}

/**
 * What to start the workflow of a job with. Null when the job is over: then it is taken off the outbox. Throws
 * `not_found`.
 */
export async function findStart(db: Database, jobId: string): Promise<JobStart | null> {
  const [row] = await db.query<JobStart & { readonly status: JobStatus }>(
    `select j.id as "jobId", j.tenant_id as "tenantId", t.plan, j.row_count as rows, j.k_score_floor as "kScoreFloor",
       j.base_model as "baseModel", j.status
     from compile_jobs j join tenants t on t.id = j.tenant_id where j.id = $1`,
    [jobId],
  )
  if (row === undefined) throw new DomainError('not_found', 'no such job')
  const { status, ...start } = row
  if (!isFinal(status)) return start
  await markStarted(db, jobId)
  return null
}
