import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { isFinal } from '../../../../core/compile/rows/task.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { listText, type ListText } from '../../../../core/kernel/json/list-text.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import type { JobEventKind } from './job-event.ts'
import { sql } from 'kysely'
import type { TenantAccess } from '../../../kernel/operation.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import { notify, unnest, writtenList } from '../../../kernel/queries/typed.ts'

/** An event without its number. */
export interface NewJobEvent {
  readonly kind: JobEventKind
  readonly body: JsonObject
}

/**
 * Appends events to a job's log within a transaction. The numbers come from a counter on the job's row, whose lock
 * is held until the commit: so they are contiguous, and a reader that has seen one has seen all before it.
 */
export async function appendEvents(
  tx: Transaction,
  jobId: string,
  events: readonly NewJobEvent[],
  at: Date,
): Promise<void> {
  if (events.length === 0) return
  await tx.send(eventsOf(jobId, events, at))
}

/** Appends events as `appendEvents` does, together with the next statement of the transaction or its commit. */
export function postEvents(tx: Transaction, jobId: string, events: readonly NewJobEvent[], at: Date): void {
  if (events.length > 0) tx.post(eventsOf(jobId, events, at))
}

function eventsOf(jobId: string, events: readonly NewJobEvent[], at: Date) {
  return insertEvents({
    jobId,
    count: events.length,
    kinds: listText(events.map(({ kind }) => kind)),
    bodies: listText(events.map(({ body }) => JSON.stringify(body))),
    at,
  })
}

interface BoundEvents {
  readonly jobId: string
  readonly count: number
  readonly kinds: ListText<JobEventKind>
  readonly bodies: ListText<string>
  readonly at: Date
}

const insertEvents = prepared((q, row: BoundEvents) =>
  q
    .with('job', (of) =>
      of
        .updateTable('compile_jobs')
        .set((set) => ({ event_seq: set('event_seq', '+', row.count) }))
        .where('id', '=', row.jobId)
        .returning(['event_seq', 'tenant_id']),
    )
    .insertInto('job_events')
    .columns(['job_id', 'seq', 'tenant_id', 'kind', 'body', 'at'])
    .expression((of) =>
      of
        .selectFrom([
          'job',
          unnest('e', { kind: writtenList('text', row.kinds), body: writtenList('json', row.bodies) }),
        ])
        .select([
          sql<string>`${row.jobId}::text`.as('job_id'),
          sql<number>`job.event_seq - ${row.count}::integer + e.place`.as('seq'),
          'job.tenant_id',
          'e.kind',
          'e.body',
          sql<Date>`${row.at}::timestamptz`.as('at'),
        ]),
    )
    .returning(notify('svc_jobs', row.jobId).as('notified')),
)

/**
 * Appends one line of `metric`, `cost` or `log` to a running job. Throws `not_found`, and `already_finished` for a job
 * with its last event.
 */
export async function appendEvent(
  op: TenantAccess,
  input: {
    readonly jobId: string
    readonly kind: 'metric' | 'cost' | 'log'
    readonly body: JsonObject
    readonly now: Date
  },
): Promise<void> {
  await op.write(async (tx) => {
    const job = await tx.q
      .selectFrom('compile_jobs')
      .select('status')
      .where('id', '=', input.jobId)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (job === undefined) throw KERNEL_ERRORS.not_found('no such job')
    if (isFinal(job.status)) throw COMPILE_ERRORS.already_finished(`the job is ${job.status}`)
    await appendEvents(tx, input.jobId, [{ kind: input.kind, body: input.body }], input.now)
  })
}
