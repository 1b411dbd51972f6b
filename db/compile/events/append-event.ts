import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { isFinal, type JobStatus } from '../../../core/compile/task.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Database, SqlRunner } from '../../kernel/database.ts'
import { inTransaction } from '../../kernel/transaction.ts'
import type { JobEventKind } from './job-event.ts'

/** An event before it has its number. */
export interface NewJobEvent {
  readonly kind: JobEventKind
  readonly body: JsonObject
}

/**
 * Appends events to a job's log within a transaction. The numbers come from a counter on the job's row, whose lock
 * is held until the commit: so they are contiguous, and a reader that has seen one has seen all before it.
 */
export async function appendEvents(
  tx: SqlRunner,
  jobId: string,
  events: readonly NewJobEvent[],
  at: Date,
): Promise<void> {
  if (events.length === 0) return
  await tx.query(
    `with job as (
       update compile_jobs set event_seq = event_seq + $2::integer where id = $1 returning event_seq, tenant_id
     )
     insert into job_events (job_id, seq, tenant_id, kind, body, at)
     select $1, job.event_seq - $2::integer + e.place, job.tenant_id, e.kind, e.body, $5
     from job, unnest($3::text[], $4::json[]) with ordinality as e(kind, body, place)
     returning pg_notify('svc_jobs', $1)`,
    [jobId, events.length, events.map((event) => event.kind), events.map((event) => JSON.stringify(event.body)), at],
  )
}

/**
 * Appends one line of `metric`, `cost` or `log` to a running job. Throws `not_found`, and `already_finished` for a
 * job that has had its last event.
 */
export async function appendEvent(
  db: Database,
  input: {
    readonly jobId: string
    readonly kind: 'metric' | 'cost' | 'log'
    readonly body: JsonObject
    readonly now: Date
  },
): Promise<void> {
  await inTransaction(db, null, async (tx) => {
    const [job] = await tx.query<{ status: JobStatus }>(
      `select status from compile_jobs where id = $1 for no key update`,
      [input.jobId],
    )
    if (job === undefined) throw KERNEL_ERRORS.not_found('no such job')
    if (isFinal(job.status)) throw COMPILE_ERRORS.already_finished(`the job is ${job.status}`)
    await appendEvents(tx, input.jobId, [{ kind: input.kind, body: input.body }], input.now)
  })
}
