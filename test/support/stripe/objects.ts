import Stripe from 'stripe'
import type { StripeSettings } from '../../../core/billing/stripe/stripe-processor.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'

/** The secret that signs webhooks of tests. */
export const WEBHOOK_SECRET = 'whsec_0123456789abcdef0123456789abcdef'

/** The price ids of tests. */
export const PRICES = {
  starter: 'price_starter',
  pro: 'price_pro',
  teams: 'price_teams',
  business: 'price_business',
  enterprise: 'price_enterprise',
} as const satisfies StripeSettings['prices']

/** Stripe set up as in tests, reached at another address. */
export function stripeSettings(apiUrl: string, change: Partial<StripeSettings> = {}): StripeSettings {
  return {
    secretKey: 'sk_test_0123456789abcdef',
    webhookSecret: WEBHOOK_SECRET,
    prices: PRICES,
    links: {},
    apiUrl,
    ...change,
  }
}

/** The content of an event, right or wrong. */
export type StripeObject = Readonly<Record<string, unknown>>

/** Some of an object of Stripe's interface, in the version of the SDK, under the names that the SDK gives to its parts. */
type Some<T> = T extends readonly (infer Item)[]
  ? readonly Some<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]?: Some<T[Name]> }
    : T

const metadataOf = (tenantId: string | undefined, plan: PlanId | undefined): Readonly<Record<string, string>> =>
  tenantId === undefined
    ? {}
    : {
        svc_tenant_id: tenantId,
        ...(plan !== undefined && plan !== 'free' && { svc_plan: plan, svc_price_id: PRICES[plan] }),
      }

/** A checkout session that was completed and paid, unless the test says otherwise. */
export function checkoutObject(given: {
  readonly id: string
  readonly tenantId: string
  readonly customerId: string
  readonly subscriptionId: string
  readonly plan?: PlanId
  readonly created: number
  readonly change?: StripeObject
}): StripeObject {
  const session: Some<Stripe.Checkout.Session> = {
    id: given.id,
    object: 'checkout.session',
    amount_total: 4900,
    client_reference_id: given.tenantId,
    created: given.created,
    currency: 'usd',
    customer: given.customerId,
    livemode: false,
    metadata: metadataOf(given.tenantId, given.plan),
    mode: 'subscription',
    payment_link: null,
    payment_status: 'paid',
    status: 'complete',
    subscription: given.subscriptionId,
  }
  return { ...session, ...given.change }
}

/** An active subscription, unless the test says otherwise. */
export function subscriptionObject(given: {
  readonly id: string
  readonly customerId: string
  readonly tenantId?: string
  readonly plan: Exclude<PlanId, 'free'>
  readonly created: number
  readonly periodEnd: number
  readonly change?: StripeObject
}): StripeObject {
  const subscription: Some<Stripe.Subscription> = {
    id: given.id,
    object: 'subscription',
    cancel_at: null,
    cancel_at_period_end: false,
    created: given.created,
    currency: 'usd',
    customer: given.customerId,
    items: {
      object: 'list',
      data: [
        {
          id: `si_${given.id}`,
          current_period_end: given.periodEnd,
          price: { id: PRICES[given.plan], object: 'price' },
        },
      ],
    },
    livemode: false,
    metadata: metadataOf(given.tenantId, given.plan),
    status: 'active',
  }
  return { ...subscription, ...given.change }
}

/** A paid invoice of a subscription, unless the test says otherwise. */
export function invoiceObject(given: {
  readonly id: string
  readonly customerId: string
  readonly subscriptionId: string
  readonly tenantId?: string
  readonly created: number
  readonly change?: StripeObject
}): StripeObject {
  const invoice: Some<Stripe.Invoice> = {
    id: given.id,
    object: 'invoice',
    amount_paid: 4900,
    created: given.created,
    currency: 'usd',
    customer: given.customerId,
    description: null,
    hosted_invoice_url: `https://pay.example.test/${given.id}`,
    invoice_pdf: `https://pay.example.test/${given.id}.pdf`,
    livemode: false,
    metadata: {},
    number: `N-${given.id}`,
    parent: {
      type: 'subscription_details',
      subscription_details: {
        subscription: given.subscriptionId,
        metadata: metadataOf(given.tenantId, undefined),
      },
    },
    period_end: given.created,
    period_start: given.created - 30 * 86_400,
    status: 'paid',
    status_transitions: { paid_at: given.created + 1 },
  }
  return { ...invoice, ...given.change }
}

/** A refund of a payment of a customer that went well, unless the test says otherwise. */
export function refundObject(given: {
  readonly id: string
  readonly customerId: string
  readonly amount: number
  readonly created: number
  /** Ours; absent for one that was made in Stripe's dashboard. */
  readonly own?: { readonly tenantId: string; readonly refundId: string }
  readonly change?: StripeObject
}): StripeObject {
  const { own } = given
  const refund: Some<Stripe.Refund> = {
    id: given.id,
    object: 'refund',
    amount: given.amount,
    charge: `ch_${given.id}`,
    created: given.created,
    currency: 'usd',
    customer: given.customerId,
    metadata: own === undefined ? {} : { svc_tenant_id: own.tenantId, svc_refund_id: own.refundId },
    payment_intent: `pi_${given.id}`,
    reason: null,
    status: 'succeeded',
  }
  return { ...refund, ...given.change }
}

/** A customer whose balance is what the processor owes, with a minus. */
export function customerObject(id: string, balance: number): StripeObject {
  const customer: Some<Stripe.Customer> = { id, object: 'customer', balance, currency: 'usd' }
  return { ...customer }
}

/** An event around an object. */
export interface StripeEvent {
  readonly id: string
  readonly type: string
  readonly created: number
  readonly livemode: boolean
  readonly data: { readonly object: StripeObject }
}

/** An event of test mode. */
export function eventOf(id: string, type: Stripe.Event.Type, created: number, object: StripeObject): StripeEvent {
  return { id, type, created, livemode: false, data: { object } }
}

/** The bytes and the header that Stripe would deliver at a time. */
export function signedEvent(
  event: object,
  at: Date,
  secret = WEBHOOK_SECRET,
): { readonly payload: string; readonly header: string } {
  const payload = JSON.stringify({ object: 'event', api_version: Stripe.API_VERSION, ...event })
  const timestamp = Math.floor(at.getTime() / 1000)
  return { payload, header: Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }) }
}
