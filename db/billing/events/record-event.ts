import { versionOf, type ProcessorEvent, type ProcessorSnapshot } from '../../../core/billing/events.ts'
import { CURRENCY } from '../../../core/billing/price-table.ts'
import type { Limits } from '../../../core/tenancy/limits.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Database } from '../../database.ts'
import type { Operation } from '../../operation.ts'
import { inTransaction, type Transaction } from '../../transaction.ts'
import { lockBilling, lockCustomer } from '../lock-tenant.ts'
import { projectAndPoke } from '../project.ts'
import { findPayer } from './find-payer.ts'
import { applySnapshot } from './snapshots/apply-snapshot.ts'

/** What became of an event. `parked`: nobody knows yet whose it is. */
export type EventOutcome =
  | 'applied'
  | 'parked'
  | 'ignored'
  | 'livemode_mismatch'
  | 'currency_mismatch'
  | 'tenant_mismatch'
  | 'customer_mismatch'
  | 'unknown_tenant'

/** An event that was taken in. */
export interface RecordedEvent {
  readonly outcome: EventOutcome
  /** True for one that was taken in before. */
  readonly isRepeated: boolean
}

/** What taking an event in needs besides it. */
export interface RecordEventInput {
  readonly requestId: string
  readonly now: Date
  readonly limits: Limits
  /** The mode that the processor is used in; null when nobody knows. */
  readonly isLivemode: boolean | null
}

/**
 * Takes in an event of the payment processor: its id and its effect in one transaction, so that a second delivery finds
 * the first. Events may come in any order; what they say of plan and dunning is computed from all of them together.
 * Throws `store_unavailable`, and then the processor sends it again.
 */
export async function recordEvent(
  db: Database,
  event: ProcessorEvent,
  input: RecordEventInput,
): Promise<RecordedEvent> {
  return await inTransaction(db, null, async (tx) => {
    const created = versionOf(event)
    const isNew = await tx.query(
      `insert into payment_events (id, type, created, is_livemode, outcome, received_at)
       values ($1, $2, $3, $4, 'ignored', $5) on conflict (id) do nothing returning 1`,
      [event.id, event.type, created, event.isLivemode, input.now],
    )
    if (isNew.length === 0) {
      const [known] = await tx.query<{ outcome: EventOutcome }>('select outcome from payment_events where id = $1', [
        event.id,
      ])
      return { outcome: known?.outcome ?? 'ignored', isRepeated: true }
    }
    const { snapshot } = event
    const refusal = snapshot === null ? 'ignored' : refuse(event, snapshot, input.isLivemode)
    const outcome =
      refusal ?? (snapshot === null ? 'ignored' : await takeIn(tx, db, { ...event, snapshot, created }, input))
    await tx.query('update payment_events set outcome = $2 where id = $1', [event.id, outcome])
    return { outcome, isRepeated: false }
  })
}

function refuse(event: ProcessorEvent, snapshot: ProcessorSnapshot, isLivemode: boolean | null): EventOutcome | null {
  if (isLivemode !== null && event.isLivemode !== isLivemode) return 'livemode_mismatch'
  if (snapshot.kind === 'checkout' && !snapshot.isSubscription) return 'ignored'
  const { currency } = snapshot
  // A customer has no currency before its first invoice.
  if (currency !== CURRENCY && !(snapshot.kind === 'customer' && currency === null)) return 'currency_mismatch'
  return null
}

type Taken = ProcessorEvent & { readonly snapshot: ProcessorSnapshot; readonly created: number }

async function takeIn(tx: Transaction, db: Database, event: Taken, input: RecordEventInput): Promise<EventOutcome> {
  const { customerId } = event.snapshot
  if (customerId !== null) await lockCustomer(tx, customerId)
  const payer = await findPayer(tx, event.snapshot)
  if (payer.kind === 'refused') return payer.outcome
  if (payer.kind === 'unknown') {
    if (customerId === null) return 'ignored'
    await tx.query('update payment_events set customer_id = $2, snapshot = $3 where id = $1', [
      event.id,
      customerId,
      JSON.stringify(event.snapshot),
    ])
    return 'parked'
  }
  const tenant = await lockBilling(tx, payer.tenantId)
  if (tenant === null) return 'unknown_tenant'
  tx.em.setFilterParams('tenant', { tenantId: tenant.id })
  const op: Operation = {
    db,
    tenantId: tenant.id,
    actor: { kind: 'processor', eventId: event.id },
    scopes: null,
    requestId: input.requestId,
    now: () => input.now,
  }
  await applySnapshot(tx, op, {
    snapshot: event.snapshot,
    version: { created: event.created, eventId: event.id },
  })
  await noteApplied(tx, op, event.id, event.type)
  if (customerId !== null) await applyParked(tx, op, customerId)
  await projectAndPoke(tx, op, { limits: input.limits, reason: event.type })
  return 'applied'
}

/** Applies what had to wait until somebody was known to be this customer. */
async function applyParked(tx: Transaction, op: Operation, customerId: string): Promise<void> {
  const parked = await tx.query<{ id: string; type: string; created: number; snapshot: ProcessorSnapshot }>(
    `select id, type, created, snapshot from payment_events
     where customer_id = $1 and snapshot is not null order by created, id`,
    [customerId],
  )
  for (const { id, type, created, snapshot } of parked) {
    const own: Operation = { ...op, actor: { kind: 'processor', eventId: id } }
    await applySnapshot(tx, own, { snapshot, version: { created, eventId: id } })
    await tx.query(`update payment_events set outcome = 'applied', snapshot = null, customer_id = null where id = $1`, [
      id,
    ])
    await noteApplied(tx, own, id, type)
  }
}

async function noteApplied(tx: Transaction, op: Operation, eventId: string, type: string): Promise<void> {
  await tx.query('update payment_events set tenant_id = $2 where id = $1', [eventId, op.tenantId])
  await recordAudit(tx, op, { action: 'billing.payment_event', target: eventId, payload: { type } })
}
