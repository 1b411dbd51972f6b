import type { FailedInvoice } from '../../core/billing/dunning.ts'
import type { CheckoutFacts, SubscriptionFacts } from '../../core/billing/standing.ts'
import type { SqlRunner } from '../kernel/database.ts'

/** The rows that a tenant's plan and its dunning follow from. */
export interface BillingRows {
  readonly subscriptions: readonly SubscriptionFacts[]
  readonly checkouts: readonly CheckoutFacts[]
  readonly failedInvoices: readonly FailedInvoice[]
  readonly paidFor: ReadonlySet<string>
}

/** Reads them. Invoices that were paid at once are counted, not read: there may be years of them. */
export async function readBillingRows(sql: SqlRunner, tenantId: string): Promise<BillingRows> {
  const subscriptions = await sql.query<SubscriptionFacts>(
    `select id, customer_id as "customerId", plan, is_sold_here as "isSoldHere", status, started_at as "startedAt",
       current_period_end as "currentPeriodEnd",
       is_cancel_at_period_end as "isCancelAtPeriodEnd", ends_at as "endsAt", end_pushed_at as "endPushedAt",
       resume_due_at as "resumeDueAt", event_created as "eventCreated"
     from subscriptions where tenant_id = $1 order by id`,
    [tenantId],
  )
  const checkouts = await sql.query<CheckoutFacts>(
    `select id, plan, source = 'link' as "isFromLink", payment_status as "paymentStatus", customer_id as "customerId",
       subscription_id as "subscriptionId", completed_at as "completedAt"
     from checkout_sessions where tenant_id = $1 order by id`,
    [tenantId],
  )
  const failedInvoices = await sql.query<FailedInvoice>(
    `select id, subscription_id as "subscriptionId", status, first_failed_at as "firstFailedAt",
       last_failed_at as "lastFailedAt", paid_at as "paidAt", event_created as "eventCreated"
     from invoices
     where tenant_id = $1 and kind = 'invoice' and first_failed_at is not null and subscription_id is not null
     order by id`,
    [tenantId],
  )
  const paid = await sql.query<{ id: string }>(
    `select distinct subscription_id as id from invoices
     where tenant_id = $1 and kind = 'invoice' and status = 'paid' and subscription_id is not null`,
    [tenantId],
  )
  return { subscriptions, checkouts, failedInvoices, paidFor: new Set(paid.map(({ id }) => id)) }
}
