import type { NotNull } from 'kysely'
import type { ProcessorSnapshot, SubscriptionSnapshot } from '../../../core/billing/events/events.ts'
import { isOver } from '../../../core/billing/events/fold.ts'
import { CURRENCY } from '../../../core/billing/price-table.ts'
import type { Limits } from '../../../core/billing/limits.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Database } from '../../kernel/database.ts'
import { ACCESS, type Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { service, type ServiceTransaction } from '../../kernel/queries/service.ts'
import { json } from '../../kernel/queries/typed.ts'
import { lockBilling, lockCustomer } from '../lock-tenant.ts'
import { projectAndWake } from '../standing/project.ts'
import { findPayer } from '../across/find-payer.ts'
import { isRefused, type EventOutcome } from '../../../core/billing/events/event-outcomes.ts'
import { applySnapshot } from './snapshots/apply-snapshot.ts'

/** Dependencies of judging an event. */
export interface EventContext {
  readonly requestId: string
  readonly now: Date
  readonly limits: Limits
  /** The processor's mode; null when its key does not show it. */
  readonly isLivemode: boolean | null
}

/** An event with a row in `payment_events`. */
export interface StoredEvent {
  readonly id: string
  readonly type: string
  /** `versionOf` the event. */
  readonly created: number
  readonly isLivemode: boolean
  readonly snapshot: ProcessorSnapshot
  /** True when its effect was recorded before, except the plan of a then unknown price. */
  readonly isRecorded: boolean
}

/**
 * Applies an event, or decides why it has no effect, by the current settings and rows, and writes the outcome into its
 * row. Refused and parked events stay there, so that they can be judged again.
 */
export async function judgeEvent(
  tx: ServiceTransaction,
  db: Database,
  event: StoredEvent,
  context: EventContext,
): Promise<EventOutcome> {
  const { snapshot } = event
  const outcome = refuse(event, context.isLivemode) ?? (await takeIn(tx, db, event, context))
  const isKept = outcome === 'parked' || isRefused(outcome)
  await tx.q
    .updateTable('payment_events')
    .set({
      outcome,
      customer_id: outcome === 'parked' || outcome === 'unknown_price' ? snapshot.customerId : null,
      snapshot: isKept ? json(snapshot) : null,
      refused_at: isRefused(outcome) ? context.now : null,
    })
    .where('id', '=', event.id)
    .execute()
  return outcome
}

function refuse(event: StoredEvent, isLivemode: boolean | null): EventOutcome | null {
  const { snapshot } = event
  if (isLivemode !== null && event.isLivemode !== isLivemode) return 'livemode_mismatch'
  if (snapshot.kind === 'checkout' && !snapshot.isSubscription) return 'ignored'
  const { currency } = snapshot
  // A customer has no currency before its first invoice.
  if (currency !== CURRENCY && !(snapshot.kind === 'customer' && currency === null)) return 'currency_mismatch'
  return null
}

async function takeIn(
  tx: ServiceTransaction,
  db: Database,
  event: StoredEvent,
  context: EventContext,
): Promise<EventOutcome> {
  const { snapshot } = event
  const { customerId } = snapshot
  if (customerId !== null) await lockCustomer(tx, customerId)
  const payer = await findPayer(tx, snapshot)
  if (payer.kind === 'refused') return payer.outcome
  if (payer.kind === 'unknown') return customerId === null ? outcomeOfStray(snapshot) : 'parked'
  const tenant = await lockBilling(tx, payer.tenantId)
  if (tenant === null) return 'unknown_tenant'
  const op: Operation = {
    ...ACCESS,
    db,
    tenantId: tenant.id,
    actor: { kind: 'processor', eventId: event.id },
    scopes: null,
    requestId: context.requestId,
    now: () => context.now,
  }
  await apply(tx, op, event)
  if (!event.isRecorded) await noteApplied(tx, op, event)
  if (customerId !== null) await applyKept(tx, op, customerId)
  return await service.forTenant(tx, op.tenantId, async () => {
    await projectAndWake(tx, op, { limits: context.limits, reason: event.type })
    return (await isUnpriced(tx, op.tenantId, snapshot)) ? 'unknown_price' : 'applied'
  })
}

/**
 * A refund names a payment and no customer, so it may arrive before the invoice that identifies the payment's owner.
 */
function outcomeOfStray(snapshot: ProcessorSnapshot): EventOutcome {
  if (snapshot.kind !== 'refund') return 'ignored'
  return snapshot.chargeId === null && snapshot.paymentIntentId === null ? 'ignored' : 'unknown_tenant'
}

async function apply(
  tx: ServiceTransaction,
  op: Operation,
  { id, created, snapshot }: Pick<StoredEvent, 'id' | 'created' | 'snapshot'>,
): Promise<void> {
  await service.forTenant(tx, op.tenantId, async () => {
    await applySnapshot(tx, op, { snapshot, version: { created, eventId: id } })
  })
}

/** Applies the events that waited for this customer's owner. */
async function applyKept(tx: ServiceTransaction, op: Operation, customerId: string): Promise<void> {
  const kept = await tx.q
    .selectFrom('payment_events')
    .select(['id', 'type', 'created', 'outcome', 'snapshot'])
    .where('customer_id', '=', customerId)
    .where('snapshot', 'is not', null)
    .orderBy('created')
    .orderBy('id')
    .$narrowType<{ snapshot: NotNull }>()
    .execute()
  for (const { id, type, created, outcome, snapshot } of kept) {
    const own: Operation = { ...op, actor: { kind: 'processor', eventId: id } }
    if (outcome === 'parked') {
      await apply(tx, own, { id, created, snapshot })
      await noteApplied(tx, own, { id, type })
    }
    const { tenantId } = op
    if (await service.forTenant(tx, tenantId, async () => await isUnpriced(tx, tenantId, snapshot))) {
      if (outcome === 'unknown_price') continue
      await tx.q
        .updateTable('payment_events')
        .set({ outcome: 'unknown_price', refused_at: op.now() })
        .where('id', '=', id)
        .execute()
      continue
    }
    await tx.q
      .updateTable('payment_events')
      .set({ outcome: 'applied', snapshot: null, customer_id: null, refused_at: null })
      .where('id', '=', id)
      .execute()
  }
}

/**
 * Returns true for a continuing subscription whose plan neither the price table nor a checkout by a payment link gives.
 */
async function isUnpriced(from: Reader, tenantId: string, snapshot: ProcessorSnapshot): Promise<boolean> {
  if (snapshot.kind !== 'subscription' || isOver(snapshot.status) || snapshot.plan !== null) return false
  return !(await hasPlanByLink(from, tenantId, snapshot))
}

async function hasPlanByLink(from: Reader, tenantId: string, { id }: SubscriptionSnapshot): Promise<boolean> {
  const found = await from.read((q) =>
    q
      .selectFrom('checkout_sessions')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('subscription_id', '=', id)
      .where('source', '=', 'link')
      .where('plan', 'is not', null)
      .limit(1),
  )
  return found.length > 0
}

async function noteApplied(
  tx: ServiceTransaction,
  op: Operation,
  { id, type }: Pick<StoredEvent, 'id' | 'type'>,
): Promise<void> {
  await tx.q.updateTable('payment_events').set({ tenant_id: op.tenantId }).where('id', '=', id).execute()
  await service.forTenant(tx, op.tenantId, async () => {
    await recordAudit(tx, op, { action: 'billing.payment_event', target: id, payload: { type } })
  })
}
