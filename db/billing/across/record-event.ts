import { versionOf, type ProcessorEvent } from '../../../core/billing/events/events.ts'
import type { Database } from '../../kernel/database.ts'
import { service, type ServiceTransaction } from '../../kernel/queries/service.ts'
import { lockCustomer } from '../lock-tenant.ts'
import { judgeEvent, type EventContext } from '../events/judge-event.ts'
import type { EventOutcome } from '../../../core/billing/events/event-outcomes.ts'

/** A recorded event. */
export interface RecordedEvent {
  readonly outcome: EventOutcome
  /** True for one that was delivered before, and has no effect now. */
  readonly isRepeated: boolean
}

/**
 * Records an event of the payment processor: its id and its effect in one transaction, so that a second delivery finds
 * the first. One without effect the first time is judged again. Events may arrive in any order; plan and dunning are
 * computed from all of them together. Throws `store_unavailable`, and then the processor sends it again.
 */
export async function recordEvent(db: Database, event: ProcessorEvent, context: EventContext): Promise<RecordedEvent> {
  return await service.write(db, 'an event of the processor names a customer and no tenant', async (tx) => {
    const created = versionOf(event)
    const { snapshot } = event
    const isNew = await tx.q
      .insertInto('payment_events')
      .values({
        id: event.id,
        type: event.type,
        created,
        is_livemode: event.isLivemode,
        outcome: 'ignored',
        received_at: context.now,
      })
      .onConflict((on) => on.column('id').doNothing())
      .returning('id')
      .execute()
    if (isNew.length === 0) return await recordAgain(tx, db, event, context)
    if (snapshot === null) return { outcome: 'ignored', isRepeated: false }
    const outcome = await judgeEvent(tx, db, { ...event, snapshot, created, isRecorded: false }, context)
    return { outcome, isRepeated: false }
  })
}

async function recordAgain(
  tx: ServiceTransaction,
  db: Database,
  event: ProcessorEvent,
  context: EventContext,
): Promise<RecordedEvent> {
  const { snapshot } = event
  // Every event takes its locks in this order: the customer, then rows of events, then the tenant.
  if (snapshot !== null && snapshot.customerId !== null) await lockCustomer(tx, snapshot.customerId)
  const known = await tx.q
    .selectFrom('payment_events')
    .select('outcome')
    .where('id', '=', event.id)
    .forUpdate()
    .executeTakeFirst()
  const before = known?.outcome ?? 'ignored'
  if (snapshot === null || before === 'applied') return { outcome: before, isRepeated: true }
  const isRecorded = before === 'unknown_price'
  const outcome = await judgeEvent(tx, db, { ...event, snapshot, created: versionOf(event), isRecorded }, context)
  return { outcome, isRepeated: outcome !== 'applied' }
}
