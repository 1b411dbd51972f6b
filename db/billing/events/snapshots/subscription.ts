import type { SubscriptionSnapshot } from '../../../../core/billing/events.ts'
import { subscriptionRank, supersedes, type Version } from '../../../../core/billing/fold.ts'
import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { instantOf } from './instant.ts'

interface Held {
  readonly plan: PlanId | null
  readonly status: string
  readonly created: number
  readonly eventId: string
}

/** A subscription. What was decided here about its end stays as it is. */
export async function applySubscription(
  tx: Transaction,
  op: Operation,
  snapshot: SubscriptionSnapshot,
  version: Version,
): Promise<void> {
  if (snapshot.customerId === null) return
  const [held] = await tx.query<Held>(
    `select plan, status, event_created as created, event_id as "eventId"
     from subscriptions where id = $1 and tenant_id = $2`,
    [snapshot.id, op.tenantId],
  )
  const isNewer =
    held === undefined ||
    supersedes(
      { rank: subscriptionRank(snapshot.status), version },
      { rank: subscriptionRank(held.status), version: held },
    )
  // The same event, read again with a price table that knows its price.
  const isPricedNow = held?.eventId === version.eventId && held.plan === null && snapshot.plan !== null
  if (!isNewer && !isPricedNow) return
  await tx.query(
    `insert into subscriptions (id, tenant_id, customer_id, plan, price_id, is_sold_here, status, current_period_end,
       is_cancel_at_period_end, ends_at, end_pushed_at, event_created, event_id, updated_at, started_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, null, null, $10, $11, $12, $13)
     on conflict (id) do update set customer_id = excluded.customer_id, plan = excluded.plan,
       price_id = excluded.price_id, is_sold_here = excluded.is_sold_here, status = excluded.status, current_period_end = excluded.current_period_end,
       is_cancel_at_period_end = excluded.is_cancel_at_period_end, event_created = excluded.event_created,
       event_id = excluded.event_id, updated_at = excluded.updated_at, started_at = excluded.started_at
     where subscriptions.tenant_id = excluded.tenant_id`,
    [
      snapshot.id,
      op.tenantId,
      snapshot.customerId,
      snapshot.plan,
      snapshot.priceId,
      snapshot.claim.priceId !== null,
      snapshot.status,
      instantOf(snapshot.currentPeriodEndS),
      snapshot.isCancelAtPeriodEnd,
      version.created,
      version.eventId,
      op.now(),
      instantOf(snapshot.createdS),
    ],
  )
}
