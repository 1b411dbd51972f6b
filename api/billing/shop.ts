import { BILLING_ERRORS } from '../../core/billing/errors.ts'
import type { Operation } from '../../db/kernel/operation.ts'
import { isForSale, startCheckout, type Shop } from '../../db/billing/checkouts/start-checkout.ts'
import type { PlanId } from '../../core/kernel/tenant/plans.ts'
import type { PlanOrder } from '../accounts/services.ts'
import type { BillingServices } from './services.ts'

/** Returns the prices and payment links of the plans that are for sale. */
export function shopOf(services: Pick<BillingServices, 'settings' | 'processor' | 'publicUrl'>): Shop {
  const { stripe } = services.settings
  return {
    // A processor without a key reads events and sells nothing.
    processor: stripe?.secretKey === undefined ? null : services.processor,
    prices: stripe?.prices ?? {},
    links: stripe?.links ?? {},
    publicUrl: services.publicUrl(),
  }
}

/** Returns the payment page of a plan; null when the plan cannot be bought here. Throws `processor_failed`. */
export async function openCheckout(shop: Shop, op: Operation, order: PlanOrder): Promise<string | null> {
  try {
    const { url } = await startCheckout(op, shop, order)
    return url
  } catch (error) {
    if (!BILLING_ERRORS.billing_not_configured.matches(error)) throw error
    return null
  }
}

/** Returns the way in which a plan can be bought: by a price, by a payment link, or not at all. */
export function offerOf(services: BillingServices, plan: PlanId): 'price' | 'payment_link' | false {
  const shop = shopOf(services)
  if (!isForSale(shop, plan)) return false
  return shop.processor !== null && shop.prices[plan] !== undefined ? 'price' : 'payment_link'
}
