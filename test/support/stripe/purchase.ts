import { checkoutObject, eventOf, subscriptionObject, type StripeEvent, type StripeObject } from './objects.ts'
import { fresh } from './paying.ts'

/** Events of a tenant that buys pro. */
export interface Purchase {
  /** Time of the purchase, in seconds. */
  readonly created: number
  readonly subscription: (more?: StripeObject) => StripeObject
  readonly completed: StripeEvent
  readonly active: StripeEvent
}

/** Returns the events of a purchase an hour ago; `change` is of the subscription. */
export function purchaseOf(tenantId: string, change: StripeObject = {}): Purchase {
  const ids = { customerId: fresh('cus'), subscriptionId: fresh('sub') }
  const created = Math.floor(Date.now() / 1000) - 3600
  const subscription = (more: StripeObject = {}) =>
    subscriptionObject({
      id: ids.subscriptionId,
      customerId: ids.customerId,
      tenantId,
      plan: 'pro',
      created,
      periodEnd: created + 30 * 86_400,
      change: { ...change, ...more },
    })
  const checkout = checkoutObject({ ...ids, id: fresh('cs'), tenantId, created, plan: 'pro' })
  return {
    created,
    subscription,
    completed: eventOf(fresh('evt'), 'checkout.session.completed', created + 2, checkout),
    active: eventOf(fresh('evt'), 'customer.subscription.updated', created + 2, subscription()),
  }
}
