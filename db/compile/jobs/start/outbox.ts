import type { Database } from '../../../kernel/database.ts'

/** A workflow that must be started. */
export interface DueStart {
  readonly jobId: string
  readonly tenantId: string
  readonly attempts: number
}

/** How long one reconciler has for what it took before another one takes it again, milliseconds. */
const CLAIM_MS = 15_000

/**
 * Workflow starts that are due, oldest first, each given to one caller at a time. A start is idempotent, so handing
 * one out twice after a crash is harmless.
 */
export async function dueStarts(
  db: Database,
  input: { readonly batch: number; readonly now: Date },
): Promise<readonly DueStart[]> {
  return await db.query<DueStart>(
    `update outbox o set attempts = o.attempts + 1, due_at = $3
     from (select job_id from outbox where due_at <= $1 order by due_at limit $2 for update skip locked) due
     where o.job_id = due.job_id
     returning o.job_id as "jobId", o.tenant_id as "tenantId", o.attempts`,
    [input.now, input.batch, new Date(input.now.getTime() + CLAIM_MS)],
  )
}

/** Takes a start off the outbox: its workflow is there now. */
export async function markStarted(db: Database, jobId: string): Promise<void> {
  await db.query('delete from outbox where job_id = $1', [jobId])
}

/** A job whose workflow should be running. */
export interface UnfinishedJob {
  readonly jobId: string
  readonly tenantId: string
  readonly admittedAt: Date
}

/**
 * Jobs that were let in before a time, are not finished and are not in the outbox, by id: each must have a workflow.
 * `afterId` continues where the last call ended.
 */
export async function unfinishedJobs(
  db: Database,
  input: { readonly admittedBefore: Date; readonly afterId: string; readonly limit: number },
): Promise<readonly UnfinishedJob[]> {
  return await db.query<UnfinishedJob>(
    `select j.id as "jobId", j.tenant_id as "tenantId", j.admitted_at as "admittedAt"
     from compile_jobs j
     where j.admitted_at < $1 and j.finished_at is null and j.id > $2
       and not exists (select 1 from outbox o where o.job_id = j.id)
     order by j.id limit $3`,
    [input.admittedBefore, input.afterId, input.limit],
  )
}

/** Puts a job's start back into the outbox: its workflow is gone, though the job is not finished. */
export async function requestStart(db: Database, input: { readonly jobId: string; readonly now: Date }): Promise<void> {
  await db.query(
    `insert into outbox (job_id, tenant_id, created_at, attempts, due_at)
     select id, tenant_id, $2, 0, $2 from compile_jobs
     where id = $1 and admitted_at is not null and finished_at is null
     on conflict (job_id) do nothing`,
    [input.jobId, input.now],
  )
}
