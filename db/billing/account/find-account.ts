import { sql } from 'kysely'
import type { BillingStatus } from '../../../core/kernel/tenant/billing-status.ts'
import type { TaxFields } from '../../../core/billing/tax.ts'
import { endOf, type SubscriptionFacts } from '../../../core/billing/standing.ts'
import { isOver } from '../../../core/billing/events/fold.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { Operation } from '../../kernel/operation.ts'
import { readBillingRows } from '../standing/facts.ts'

/** A tenant's account with the payment processor. */
export interface AccountView extends TaxFields {
  readonly email: string | null
  readonly plan: PlanId
  readonly pendingPlan: PlanId | null
  readonly grantedPlan: PlanId | null
  readonly billingStatus: BillingStatus
  readonly quotaOverride: number | null
  readonly customerId: string | null
  readonly creditBalanceCents: number
  readonly isTaxRefused: boolean
}

/**
 * Returns the account; with empty fields for a tenant that never paid. Throws `not_found` when the tenant is deleted.
 */
export async function findBillingAccount(op: Operation): Promise<AccountView> {
  const [account] = await op.read((q) =>
    q
      .selectFrom('tenants as t')
      .leftJoin('billing_accounts as a', 'a.tenant_id', 't.id')
      .select([
        't.email',
        't.plan',
        't.pending_plan as pendingPlan',
        't.granted_plan as grantedPlan',
        't.billing_status as billingStatus',
        't.quota_override as quotaOverride',
        'a.customer_id as customerId',
        sql<number>`coalesce(a.credit_balance_cents, 0)`.as('creditBalanceCents'),
        'a.vat_number as vatNumber',
        'a.tax_id as taxId',
        'a.company_name as companyName',
        'a.country_code as countryCode',
        sql<boolean>`coalesce(a.is_tax_refused, false)`.as('isTaxRefused'),
      ])
      .where('t.id', '=', op.tenantId)
      .where('t.deleted_at', 'is', null),
  )
  if (account === undefined) throw KERNEL_ERRORS.not_found('no such account')
  return account
}

/** A subscription that continues, or ends at a known time. */
export interface RunningSubscription {
  readonly id: string
  readonly plan: PlanId | null
  readonly status: string
  readonly currentPeriodEnd: Date | null
  readonly endsAt: Date | null
}

/** Returns the tenant's unfinished subscriptions, newest first. */
export async function runningSubscriptions(op: Operation): Promise<readonly RunningSubscription[]> {
  const { subscriptions } = await readBillingRows(op, op.tenantId)
  const isRunning = (subscription: SubscriptionFacts): boolean => {
    const end = endOf(subscription)
    return !isOver(subscription.status) && (end === null || end > op.now())
  }
  return subscriptions
    .filter(isRunning)
    .toSorted((one, other) => other.startedAt.getTime() - one.startedAt.getTime())
    .map((subscription) => ({
      id: subscription.id,
      plan: subscription.plan,
      status: subscription.status,
      currentPeriodEnd: subscription.currentPeriodEnd,
      endsAt: endOf(subscription),
    }))
}

/** Steps after a failed payment, as the tenant sees them. */
export interface DunningView {
  readonly id: string
  readonly attempt: number
  readonly state: string
  readonly nextStepAt: Date | null
  readonly subscriptionId: string
  readonly invoiceId: string
}

/** Returns the tenant's open dunning. */
export async function openDunnings(op: Operation): Promise<readonly DunningView[]> {
  return await op.read((q) =>
    q
      .selectFrom('dunnings')
      .select([
        'id',
        'attempt',
        'state',
        'next_step_at as nextStepAt',
        'subscription_id as subscriptionId',
        'invoice_id as invoiceId',
      ])
      .where('tenant_id', '=', op.tenantId)
      .where('resolved_at', 'is', null)
      .orderBy('first_failed_at')
      .orderBy('id'),
  )
}
