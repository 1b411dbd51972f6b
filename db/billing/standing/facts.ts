import { sql, type NotNull } from 'kysely'
import type { FailedInvoice } from '../../../core/billing/dunning.ts'
import type { CheckoutFacts, SubscriptionFacts } from '../../../core/billing/standing.ts'
import type { Reader } from '../../kernel/queries/read.ts'

/** The rows that determine a tenant's plan and dunning. */
export interface BillingRows {
  readonly subscriptions: readonly SubscriptionFacts[]
  readonly checkouts: readonly CheckoutFacts[]
  readonly failedInvoices: readonly FailedInvoice[]
  readonly paidFor: ReadonlySet<string>
}

/** Reads them. Invoices paid at once are counted, not read: there may be years of them. */
export async function readBillingRows(from: Reader, tenantId: string): Promise<BillingRows> {
  const [subscriptions, checkouts, failedInvoices, paid] = await from.read((q) => [
    q
      .selectFrom('subscriptions')
      .select([
        'id',
        'customer_id as customerId',
        'plan',
        'is_sold_here as isSoldHere',
        'status',
        'started_at as startedAt',
        'current_period_end as currentPeriodEnd',
        'is_cancel_at_period_end as isCancelAtPeriodEnd',
        'ends_at as endsAt',
        'end_pushed_at as endPushedAt',
        'resume_due_at as resumeDueAt',
        'event_created as eventCreated',
      ])
      .where('tenant_id', '=', tenantId)
      .orderBy('id'),
    q
      .selectFrom('checkout_sessions')
      .select([
        'id',
        'plan',
        sql<boolean>`source = 'link'`.as('isFromLink'),
        'payment_status as paymentStatus',
        'customer_id as customerId',
        'subscription_id as subscriptionId',
        'completed_at as completedAt',
      ])
      .where('tenant_id', '=', tenantId)
      .orderBy('id'),
    q
      .selectFrom('invoices')
      .select([
        'id',
        'subscription_id as subscriptionId',
        'status',
        'first_failed_at as firstFailedAt',
        'last_failed_at as lastFailedAt',
        'paid_at as paidAt',
        'event_created as eventCreated',
      ])
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', 'invoice')
      .where('first_failed_at', 'is not', null)
      .where('subscription_id', 'is not', null)
      .orderBy('id')
      // Written together with the first failure.
      .$narrowType<{ subscriptionId: NotNull; firstFailedAt: NotNull; lastFailedAt: NotNull }>(),
    q
      .selectFrom('invoices')
      .select('subscription_id as id')
      .distinct()
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', 'invoice')
      .where('status', '=', 'paid')
      .where('subscription_id', 'is not', null)
      .$narrowType<{ id: NotNull }>(),
  ])
  return { subscriptions, checkouts, failedInvoices, paidFor: new Set(paid.map(({ id }) => id)) }
}
