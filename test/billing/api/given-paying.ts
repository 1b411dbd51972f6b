import { givenApiTenant, type ApiTenant } from '../../support/api.ts'
import {
  checkoutObject,
  eventOf,
  invoiceObject,
  subscriptionObject,
  type StripeEvent,
  type StripeObject,
} from '../../support/stripe/objects.ts'
import { nowS, type TestBilling } from './use-billing.ts'

const DAY = 86_400
let serial = 0

/** An id of the processor that no other test of this process has. */
export const fresh = (prefix: string): string => `${prefix}_g${++serial}`

/** A tenant that pays for a plan, and what the processor knows of it. */
export interface PayingTenant extends ApiTenant {
  readonly customerId: string
  readonly subscriptionId: string
  readonly invoiceId: string
  readonly periodEnd: Date
  /** The subscription as an event of this moment, or of another one, tells it. */
  subscriptionEvent(
    type: 'customer.subscription.updated' | 'customer.subscription.deleted',
    change: StripeObject,
    createdS?: number,
  ): StripeEvent
}

/** Signs a tenant up and delivers what its purchase a day ago caused. */
export async function givenPaying(
  { api, stripe, deliver }: TestBilling,
  plan: 'starter' | 'pro' | 'teams' = 'pro',
): Promise<PayingTenant> {
  const tenant = await givenApiTenant(api)
  const ids = { customerId: fresh('cus'), subscriptionId: fresh('sub'), invoiceId: fresh('in') }
  const created = nowS() - DAY
  const named = { tenantId: tenant.id, created }
  const subscription = (change: StripeObject = {}) =>
    subscriptionObject({
      ...named,
      id: ids.subscriptionId,
      customerId: ids.customerId,
      plan,
      periodEnd: created + 30 * DAY,
      change,
    })
  const checkout = checkoutObject({ ...named, ...ids, id: fresh('cs'), plan })
  await deliver(eventOf(fresh('evt'), 'customer.subscription.created', created + 1, subscription()))
  await deliver(eventOf(fresh('evt'), 'checkout.session.completed', created + 2, checkout))
  await deliver(
    eventOf(fresh('evt'), 'invoice.paid', created + 2, invoiceObject({ ...named, ...ids, id: ids.invoiceId })),
  )
  stripe.state.customers.set(ids.customerId, { id: ids.customerId, object: 'customer' })
  stripe.state.subscriptions.set(ids.subscriptionId, subscription())
  return {
    ...tenant,
    ...ids,
    periodEnd: new Date((created + 30 * DAY) * 1000),
    subscriptionEvent: (type, change, createdS = nowS()) => eventOf(fresh('evt'), type, createdS, subscription(change)),
  }
}

/** Makes a customer who pays, and a charge of theirs that can be refunded; returns the charge. */
export async function givenCharge(billing: TestBilling): Promise<string> {
  const { state } = billing.stripe
  const { invoiceId } = await givenPaying(billing)
  const charge = fresh('ch')
  const intent = fresh('pi')
  state.charges.set(charge, {
    id: charge,
    object: 'charge',
    amount: 4900,
    amount_refunded: 0,
    currency: 'usd',
    customer: 'cus_x',
    payment_intent: intent,
  })
  state.paymentIntents.set(intent, { id: intent, object: 'payment_intent', latest_charge: charge })
  state.invoicePayments.set(intent, { id: fresh('inpay'), invoice: invoiceId, payment_intent: intent })
  return charge
}
