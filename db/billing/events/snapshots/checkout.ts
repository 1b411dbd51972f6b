import type { CheckoutSnapshot } from '../../../../core/billing/events.ts'
import { checkoutRank, isPaid, supersedes, type Version } from '../../../../core/billing/fold.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { instantOf } from './instant.ts'

interface Held {
  readonly paymentStatus: string | null
  readonly created: number
  readonly eventId: string
}

/** A checkout. What it sells is what was written down when it began; once paid, nothing is pending any more. */
export async function applyCheckout(
  tx: Transaction,
  op: Operation,
  snapshot: CheckoutSnapshot,
  version: Version,
): Promise<void> {
  const [held] = await tx.query<Held>(
    `select payment_status as "paymentStatus", event_created as created, event_id as "eventId"
     from checkout_sessions where id = $1 and tenant_id = $2`,
    [snapshot.id, op.tenantId],
  )
  const isNewer =
    held === undefined ||
    supersedes(
      { rank: checkoutRank(snapshot.paymentStatus), version },
      { rank: checkoutRank(held.paymentStatus), version: held },
    )
  if (!isNewer) return
  await tx.query(
    `insert into checkout_sessions (id, tenant_id, plan, source, payment_status, customer_id, subscription_id, url,
       event_created, event_id, created_at, completed_at)
     values ($1, $2, $3, $4, $5, $6, $7, null, $8, $9, $10, $11)
     on conflict (id) do update set payment_status = excluded.payment_status, customer_id = excluded.customer_id,
       subscription_id = excluded.subscription_id, event_created = excluded.event_created,
       event_id = excluded.event_id, created_at = excluded.created_at, completed_at = excluded.completed_at
     where checkout_sessions.tenant_id = excluded.tenant_id`,
    [
      snapshot.id,
      op.tenantId,
      snapshot.claim.plan,
      snapshot.isFromLink ? 'link' : 'checkout',
      snapshot.paymentStatus,
      snapshot.customerId,
      snapshot.subscriptionId,
      version.created,
      version.eventId,
      instantOf(snapshot.createdS),
      instantOf(snapshot.completedAtS),
    ],
  )
  const isNowPaid = snapshot.completedAtS !== null && isPaid(snapshot.paymentStatus)
  if (!isNowPaid || isPaid(held?.paymentStatus ?? null)) return
  await tx.query('update tenants set pending_plan = null, trial_ends_at = null where id = $1', [op.tenantId])
  if (snapshot.subscriptionId === null || snapshot.customerId === null) return
  // Stands for the subscription until an event tells of it; every event is newer than this row.
  await tx.query(
    `insert into subscriptions (id, tenant_id, customer_id, plan, is_sold_here, status, started_at,
       is_cancel_at_period_end, event_created, event_id, updated_at)
     values ($1, $2, $3, $4, $5, 'active', $6, false, 0, '', $7)
     on conflict (id) do nothing`,
    [
      snapshot.subscriptionId,
      op.tenantId,
      snapshot.customerId,
      snapshot.claim.plan,
      snapshot.claim.priceId !== null,
      instantOf(snapshot.createdS),
      op.now(),
    ],
  )
}
