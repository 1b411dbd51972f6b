import { sql } from 'kysely'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { NewRunEvent, RunEventKind } from '../../../core/learn/distill/run.ts'
import type { Operation } from '../../kernel/operation.ts'
import { list, notify, unnest } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** One line of a run's event log. */
export interface RunEvent {
  readonly seq: number
  readonly kind: RunEventKind
  readonly body: JsonObject
  readonly at: Date
}

/** Which events to read. */
export interface EventsAsked {
  readonly runId: string
  readonly afterSeq: number
  readonly limit: number
  readonly kinds?: readonly RunEventKind[]
}

/** Lists events of a run after `afterSeq`, oldest first; none for another tenant's run. */
export async function listRunEvents(op: Operation, { runId, afterSeq, limit, kinds }: EventsAsked) {
  return await op.read((q) =>
    q
      .selectFrom('distill_events')
      .select(['seq', 'kind', 'body', 'at'])
      .where('run_id', '=', runId)
      .where('tenant_id', '=', op.tenantId)
      .where('seq', '>', afterSeq)
      .$if(kinds !== undefined, (all) => all.where('kind', 'in', kinds ?? []))
      .orderBy('seq')
      .limit(limit),
  )
}

/** Lists the newest events of some kinds of a run, oldest of them first. */
export async function listLastRunEvents(
  op: Operation,
  { runId, limit, kinds }: Pick<EventsAsked, 'runId' | 'limit'> & { readonly kinds: readonly RunEventKind[] },
): Promise<readonly RunEvent[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('distill_events')
      .select(['seq', 'kind', 'body', 'at'])
      .where('run_id', '=', runId)
      .where('tenant_id', '=', op.tenantId)
      .where('kind', 'in', kinds)
      .orderBy('seq', 'desc')
      .limit(limit),
  )
  return rows.toReversed()
}

/**
 * Appends events to a run's log within a transaction. The numbers come from a counter on the run's row, whose lock is held
 * until the commit: a reader that has seen one event has seen all before it.
 */
export async function appendRunEvents(
  tx: Transaction,
  runId: string,
  events: readonly NewRunEvent[],
  at: Date,
): Promise<void> {
  if (events.length === 0) return
  const lines = unnest('e', {
    kind: list(
      'text',
      events.map(({ kind }) => kind),
    ),
    body: list(
      'json',
      events.map(({ body }) => JSON.stringify(body)),
    ),
  })
  await tx.q
    .with('run', (q) =>
      q
        .updateTable('distill_runs')
        .set((of) => ({ event_seq: of('event_seq', '+', events.length) }))
        .where('id', '=', runId)
        .returning(['event_seq', 'tenant_id', 'namespace']),
    )
    .insertInto('distill_events')
    .columns(['run_id', 'seq', 'tenant_id', 'namespace', 'kind', 'body', 'at'])
    .expression((q) =>
      q
        .selectFrom(['run', lines])
        .select((of) => [
          of.val(runId).as('run_id'),
          sql<number>`run.event_seq - ${events.length}::integer + e.place`.as('seq'),
          'run.tenant_id',
          'run.namespace',
          sql<RunEventKind>`e.kind`.as('kind'),
          sql<JsonObject>`e.body`.as('body'),
          sql<Date>`${at}::timestamptz`.as('at'),
        ]),
    )
    .returning(notify('svc_jobs', runId).as('notified'))
    .execute()
}
