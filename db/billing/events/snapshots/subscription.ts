import type { SubscriptionSnapshot } from '../../../../core/billing/events/events.ts'
import { subscriptionRank, supersedes, type Version } from '../../../../core/billing/events/fold.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { instantOf } from './instant.ts'

/** Applies a subscription. Decisions made here about its end stay in force. */
export async function applySubscription(
  tx: Transaction,
  op: Operation,
  snapshot: SubscriptionSnapshot,
  version: Version,
): Promise<void> {
  if (snapshot.customerId === null) return
  const held = await tx.q
    .selectFrom('subscriptions')
    .select(['plan', 'status', 'event_created as created', 'event_id as eventId'])
    .where('id', '=', snapshot.id)
    .where('tenant_id', '=', op.tenantId)
    .executeTakeFirst()
  const isNewer =
    held === undefined ||
    supersedes(
      { rank: subscriptionRank(snapshot.status), version },
      { rank: subscriptionRank(held.status), version: held },
    )
  // The same event, read again with a price table that knows its price.
  const isPricedNow = held?.eventId === version.eventId && held.plan === null && snapshot.plan !== null
  if (!isNewer && !isPricedNow) return
  await tx.q
    .insertInto('subscriptions')
    .values({
      id: snapshot.id,
      tenant_id: op.tenantId,
      customer_id: snapshot.customerId,
      plan: snapshot.plan,
      price_id: snapshot.priceId,
      is_sold_here: snapshot.claim.priceId !== null,
      status: snapshot.status,
      current_period_end: instantOf(snapshot.currentPeriodEndS),
      is_cancel_at_period_end: snapshot.isCancelAtPeriodEnd,
      event_created: version.created,
      event_id: version.eventId,
      updated_at: op.now(),
      started_at: instantOf(snapshot.createdS),
    })
    .onConflict((on) =>
      on
        .column('id')
        .doUpdateSet({
          customer_id: (of) => of.ref('excluded.customer_id'),
          plan: (of) => of.ref('excluded.plan'),
          price_id: (of) => of.ref('excluded.price_id'),
          is_sold_here: (of) => of.ref('excluded.is_sold_here'),
          status: (of) => of.ref('excluded.status'),
          current_period_end: (of) => of.ref('excluded.current_period_end'),
          is_cancel_at_period_end: (of) => of.ref('excluded.is_cancel_at_period_end'),
          event_created: (of) => of.ref('excluded.event_created'),
          event_id: (of) => of.ref('excluded.event_id'),
          updated_at: (of) => of.ref('excluded.updated_at'),
          started_at: (of) => of.ref('excluded.started_at'),
        })
        .whereRef('subscriptions.tenant_id', '=', 'excluded.tenant_id'),
    )
    .execute()
}
