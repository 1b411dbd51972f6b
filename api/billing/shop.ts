import { isForSale, type Shop } from '../../db/billing/checkouts/start-checkout.ts'
import type { PlanId } from '../../core/kernel/tenant/plans.ts'
import type { ApiServices } from '../services.ts'

/** What is sold here, and how. */
export function shopOf(services: Pick<ApiServices, 'settings' | 'processor' | 'publicUrl'>): Shop {
  const { stripe } = services.settings
  return {
    // A processor without a key reads events and sells nothing.
    processor: stripe?.secretKey === undefined ? null : services.processor,
    prices: stripe?.prices ?? {},
    links: stripe?.links ?? {},
    publicUrl: services.publicUrl(),
  }
}

/** How a plan can be bought: by a price, by a payment link, or not at all. */
export function offerOf(services: ApiServices, plan: PlanId): 'price' | 'payment_link' | false {
  const shop = shopOf(services)
  if (!isForSale(shop, plan)) return false
  return shop.processor !== null && shop.prices[plan] !== undefined ? 'price' : 'payment_link'
}
