import { sql, type NotNull } from 'kysely'
import { repriced } from '../../../core/billing/events/read-snapshot.ts'
import type { PerPlan } from '../../../core/billing/price-table.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { Database } from '../../kernel/database.ts'
import { service, type ServiceTransaction } from '../../kernel/queries/service.ts'
import { lockCustomer } from '../lock-tenant.ts'
import { judgeEvent, type EventContext } from '../events/judge-event.ts'
import type { EventOutcome, Refusal } from '../../../core/billing/events/event-outcomes.ts'

/** A refused payment event, without its content. */
export interface RefusedEvent {
  readonly id: string
  readonly type: string
  readonly reason: Refusal
  readonly receivedAt: Date
  readonly refusedAt: Date
  /** False for one that an earlier version of the service did not store: the processor must send it again. */
  readonly isKept: boolean
}

/** Returns the refused payment events of the service: their number, and the latest of them. */
export async function refusedEvents(
  db: Database,
  limit: number,
): Promise<{ readonly total: number; readonly latest: readonly RefusedEvent[] }> {
  const from = service.reader(db, 'shows the refused payment events of all tenants')
  const [[counted], latest] = await from.read((q) => [
    q.selectFrom('payment_events').select(q.fn.countAll<number>().as('total')).where('refused_at', 'is not', null),
    q
      .selectFrom('payment_events')
      .select([
        'id',
        'type',
        sql<Refusal>`outcome`.as('reason'),
        'received_at as receivedAt',
        'refused_at as refusedAt',
        sql<boolean>`snapshot is not null`.as('isKept'),
      ])
      .where('refused_at', 'is not', null)
      .orderBy('refused_at', 'desc')
      .orderBy('id')
      .limit(limit)
      .$narrowType<{ refusedAt: NotNull }>(),
  ])
  return { total: counted?.total ?? 0, latest }
}

/** The new outcome of an event that was refused. */
export interface RetriedEvent {
  readonly id: string
  readonly type: string
  readonly outcome: EventOutcome
}

/** One pass over the refused events. */
export interface RetryReport {
  readonly events: readonly RetriedEvent[]
  /** Refused events beyond the limit of this pass. */
  readonly left: number
}

/**
 * Judges payment events again that were refused before a time, by the current settings, oldest refusal first; those of
 * one pass in order of occurrence. Each event has its effect once, whatever is delivered at the same time. Throws
 * `store_unavailable`, and the first failure after all possible events were judged; judged events stay judged.
 */
export async function retryRefusedEvents(
  db: Database,
  context: EventContext & { readonly prices: PerPlan; readonly before: Date; readonly limit: number },
): Promise<RetryReport> {
  const { before, prices, limit } = context
  const from = service.reader(db, 'judges the refused payment events of all tenants again')
  const ids = await from.read((q) =>
    q
      .with('due', (of) =>
        of
          .selectFrom('payment_events')
          .select(['id', 'created'])
          .where('refused_at', '<', before)
          .where('snapshot', 'is not', null)
          .orderBy('refused_at')
          .orderBy('id')
          .limit(limit),
      )
      .selectFrom('due')
      .select('id')
      .orderBy('created')
      .orderBy('id'),
  )
  const events: RetriedEvent[] = []
  const failures: unknown[] = []
  for (const { id } of ids) {
    try {
      const retried = await retryEvent(db, id, { ...context, prices })
      if (retried !== null) events.push(retried)
    } catch (error) {
      if (error instanceof DomainError) throw error
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  const [rest] = await from.read((q) =>
    q
      .selectFrom('payment_events')
      .select(q.fn.countAll<number>().as('left'))
      .where('refused_at', '<', before)
      .where('snapshot', 'is not', null),
  )
  return { events, left: rest?.left ?? 0 }
}

/** Judges one refused event again. Returns null for one that was handled meanwhile. */
async function retryEvent(
  db: Database,
  id: string,
  context: EventContext & { readonly prices: PerPlan },
): Promise<RetriedEvent | null> {
  return await service.write(db, 'a payment event names a customer and no tenant', async (tx) => {
    const customerId = (await readKept(tx, id).executeTakeFirst())?.snapshot.customerId ?? null
    // Every event takes its locks in this order: the customer, then rows of events, then the tenant.
    if (customerId !== null) await lockCustomer(tx, customerId)
    const row = await readKept(tx, id).forUpdate().executeTakeFirst()
    if (row === undefined) return null
    const { outcome: before, ...event } = row
    const snapshot = repriced(row.snapshot, context.prices)
    const isRecorded = before === 'unknown_price'
    const outcome = await judgeEvent(tx, db, { ...event, id, snapshot, isRecorded }, context)
    return { id, type: row.type, outcome }
  })
}

function readKept(tx: ServiceTransaction, id: string) {
  return tx.q
    .selectFrom('payment_events')
    .select(['type', 'created', 'is_livemode as isLivemode', 'outcome', 'snapshot'])
    .where('id', '=', id)
    .where('refused_at', 'is not', null)
    .where('snapshot', 'is not', null)
    .$narrowType<{ snapshot: NotNull }>()
}
