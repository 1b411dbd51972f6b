import { repriced } from '../../../core/billing/read-snapshot.ts'
import type { ProcessorSnapshot } from '../../../core/billing/events.ts'
import type { PerPlan } from '../../../core/billing/price-table.ts'
import type { Database } from '../../kernel/database.ts'
import { inTransaction } from '../../kernel/transaction.ts'
import { lockCustomer } from '../lock-tenant.ts'
import { judgeEvent, type EventContext } from './judge-event.ts'
import type { EventOutcome, Refusal } from './outcomes.ts'

/** A payment event that was refused, without what stood in it. */
export interface RefusedEvent {
  readonly id: string
  readonly type: string
  readonly reason: Refusal
  readonly receivedAt: Date
  readonly refusedAt: Date
  /** False for one that an earlier version of the service did not keep: the processor has to send it again. */
  readonly isKept: boolean
}

/** The refused payment events of the service: their number, and the latest of them. */
export async function refusedEvents(
  db: Database,
  limit: number,
): Promise<{ readonly total: number; readonly latest: readonly RefusedEvent[] }> {
  const [counted] = await db.query<{ total: number }>(
    'select count(*) as total from payment_events where refused_at is not null',
  )
  const latest = await db.query<RefusedEvent>(
    `select id, type, outcome as reason, received_at as "receivedAt", refused_at as "refusedAt",
       snapshot is not null as "isKept"
     from payment_events where refused_at is not null order by refused_at desc, id limit $1`,
    [limit],
  )
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
  /** Refused events that this pass had no room for. */
  readonly left: number
}

/**
 * Judges payment events again that were refused before a time, by the settings of this moment, oldest refusal first; those of one pass in the
 * order in which they happened. Each event has its effect once, whatever is delivered at the same time. Throws
 * `store_unavailable`; what was judged by then stays.
 */
export async function retryRefusedEvents(
  db: Database,
  context: EventContext & { readonly prices: PerPlan; readonly before: Date; readonly limit: number },
): Promise<RetryReport> {
  const { before, prices, limit } = context
  const ids = await db.query<{ id: string }>(
    `with due as (
       select id, created from payment_events where refused_at < $1 and snapshot is not null order by refused_at, id limit $2
     )
     select id from due order by created, id`,
    [before, limit],
  )
  const events: RetriedEvent[] = []
  for (const { id } of ids) {
    const retried = await retryEvent(db, id, { ...context, prices })
    if (retried !== null) events.push(retried)
  }
  const [rest] = await db.query<{ left: number }>(
    'select count(*) as left from payment_events where refused_at < $1 and snapshot is not null',
    [before],
  )
  return { events, left: rest?.left ?? 0 }
}

interface KeptRow {
  readonly type: string
  readonly created: number
  readonly isLivemode: boolean
  readonly outcome: EventOutcome
  readonly snapshot: ProcessorSnapshot
}

/** Null for one that was dealt with meanwhile. */
async function retryEvent(
  db: Database,
  id: string,
  context: EventContext & { readonly prices: PerPlan },
): Promise<RetriedEvent | null> {
  return await inTransaction(db, null, async (tx) => {
    const read = async (lock: '' | 'for update'): Promise<KeptRow | undefined> => {
      const [row] = await tx.query<KeptRow>(
        `select type, created, is_livemode as "isLivemode", outcome, snapshot from payment_events
         where id = $1 and refused_at is not null and snapshot is not null ${lock}`,
        [id],
      )
      return row
    }
    const customerId = (await read(''))?.snapshot.customerId ?? null
    // In the order in which every event takes its locks: the customer, then rows of events, then the tenant.
    if (customerId !== null) await lockCustomer(tx, customerId)
    const row = await read('for update')
    if (row === undefined) return null
    const { outcome: before, ...event } = row
    const snapshot = repriced(row.snapshot, context.prices)
    const isRecorded = before === 'unknown_price'
    const outcome = await judgeEvent(tx, db, { ...event, id, snapshot, isRecorded }, context)
    return { id, type: row.type, outcome }
  })
}
