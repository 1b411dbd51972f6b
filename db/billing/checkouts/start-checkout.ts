import { BILLING_ERRORS } from '../../../core/billing/errors.ts'
import { sha256 } from '../../../core/kernel/json/json.ts'
import { paymentLink, type PerPlan } from '../../../core/billing/price-table.ts'
import type { PaymentProcessor } from '../../../core/billing/processor.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { Operation } from '../../kernel/operation.ts'
import { findBillingAccount } from '../account/find-account.ts'
import { wantPlan } from '../subscriptions/change-plan.ts'

/** The plan to sell, and the settings of the sale. */
export interface Shop {
  readonly processor: PaymentProcessor | null
  readonly prices: PerPlan
  readonly links: PerPlan
  /** Without a slash at its end. */
  readonly publicUrl: string
}

/** Page for the buyer. `id` is null for a payment link. */
export interface OpenedCheckout {
  readonly id: string | null
  readonly url: string
  readonly source: 'checkout' | 'link'
}

/** Returns true when a plan can be bought. */
export function isForSale({ processor, prices, links }: Omit<Shop, 'publicUrl'>, plan: PlanId): boolean {
  return (processor !== null && prices[plan] !== undefined) || links[plan] !== undefined
}

/**
 * Starts the purchase of a plan: a checkout with a price of this service, or else the operator's payment link. Two requests
 * within a minute, or under one Idempotency-Key, give the same checkout. Throws `billing_not_configured` and
 * `processor_failed`.
 */
export async function startCheckout(
  op: Operation,
  shop: Shop,
  input: { readonly plan: PlanId; readonly email: string | null },
): Promise<OpenedCheckout> {
  const { plan } = input
  const account = await findBillingAccount(op)
  const email = input.email ?? account.email
  if (shop.processor !== null && shop.prices[plan] !== undefined) {
    const request = {
      tenantId: op.tenantId,
      plan,
      customerId: account.customerId,
      email,
      quantity: 1 as const,
      successUrl: `${shop.publicUrl}/#billing=paid`,
      cancelUrl: `${shop.publicUrl}/#billing=cancelled`,
    }
    const occasion = op.claimName ?? Math.floor(op.now().getTime() / 60_000)
    const idempotencyKey = `checkout/${sha256(JSON.stringify([request, shop.prices[plan], occasion]))}`
    const checkout = await shop.processor.createCheckout({ ...request, idempotencyKey })
    await wantPlan(op, { plan, checkout })
    return { id: checkout.id, url: checkout.url, source: 'checkout' }
  }
  const url = paymentLink(shop.links, plan, { tenantId: op.tenantId, email })
  if (url === null) {
    throw BILLING_ERRORS.billing_not_configured(`payment for the plan ${plan} is not set up`, {
      details: { missing: [plan] },
    })
  }
  await wantPlan(op, { plan, checkout: null })
  return { id: null, url, source: 'link' }
}
