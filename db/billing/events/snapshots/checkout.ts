import type { CheckoutSnapshot } from '../../../../core/billing/events/events.ts'
import { checkoutRank, isPaid, supersedes, type Version } from '../../../../core/billing/events/fold.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { instantOf } from './instant.ts'

/** Applies a checkout. The sold plan was recorded when it began; payment ends the pending state. */
export async function applyCheckout(
  tx: Transaction,
  op: Operation,
  snapshot: CheckoutSnapshot,
  version: Version,
): Promise<void> {
  const held = await tx.q
    .selectFrom('checkout_sessions')
    .select(['payment_status as paymentStatus', 'event_created as created', 'event_id as eventId'])
    .where('id', '=', snapshot.id)
    .where('tenant_id', '=', op.tenantId)
    .executeTakeFirst()
  const isNewer =
    held === undefined ||
    supersedes(
      { rank: checkoutRank(snapshot.paymentStatus), version },
      { rank: checkoutRank(held.paymentStatus), version: held },
    )
  if (!isNewer) return
  await tx.q
    .insertInto('checkout_sessions')
    .values({
      id: snapshot.id,
      tenant_id: op.tenantId,
      plan: snapshot.claim.plan,
      source: snapshot.isFromLink ? 'link' : 'checkout',
      payment_status: snapshot.paymentStatus,
      customer_id: snapshot.customerId,
      subscription_id: snapshot.subscriptionId,
      event_created: version.created,
      event_id: version.eventId,
      created_at: instantOf(snapshot.createdS),
      completed_at: instantOf(snapshot.completedAtS),
    })
    .onConflict((on) =>
      on
        .column('id')
        .doUpdateSet({
          payment_status: (of) => of.ref('excluded.payment_status'),
          customer_id: (of) => of.ref('excluded.customer_id'),
          subscription_id: (of) => of.ref('excluded.subscription_id'),
          event_created: (of) => of.ref('excluded.event_created'),
          event_id: (of) => of.ref('excluded.event_id'),
          created_at: (of) => of.ref('excluded.created_at'),
          completed_at: (of) => of.ref('excluded.completed_at'),
        })
        .whereRef('checkout_sessions.tenant_id', '=', 'excluded.tenant_id'),
    )
    .execute()
  const isNowPaid = snapshot.completedAtS !== null && isPaid(snapshot.paymentStatus)
  if (!isNowPaid || isPaid(held?.paymentStatus ?? null)) return
  await tx.q
    .updateTable('tenants')
    .set({ pending_plan: null, trial_ends_at: null })
    .where('id', '=', op.tenantId)
    .execute()
  if (snapshot.subscriptionId === null || snapshot.customerId === null) return
  // Stands in for the subscription until an event reports it; every event is newer than this row.
  await tx.q
    .insertInto('subscriptions')
    .values({
      id: snapshot.subscriptionId,
      tenant_id: op.tenantId,
      customer_id: snapshot.customerId,
      plan: snapshot.claim.plan,
      is_sold_here: snapshot.claim.priceId !== null,
      status: 'active',
      started_at: instantOf(snapshot.createdS),
      is_cancel_at_period_end: false,
      event_created: 0,
      event_id: '',
      updated_at: op.now(),
    })
    .onConflict((on) => on.column('id').doNothing())
    .execute()
}
