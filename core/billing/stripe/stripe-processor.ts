import Stripe from 'stripe'
import { z } from 'zod'
import { KERNEL_ERRORS, type DomainError } from '../../kernel/errors.ts'
import { BILLING_ERRORS } from '../errors.ts'
import { METADATA, type ProcessorEvent } from '../events/events.ts'
import { isOver } from '../events/fold.ts'
import { CURRENCY, type PerPlan } from '../price-table.ts'
import type {
  CheckoutRequest,
  CustomerUpdate,
  PaymentProcessor,
  ProcessorCharge,
  RefundRequest,
  StartedCheckout,
} from '../processor.ts'
import { readSnapshot } from '../events/read-snapshot.ts'
import { askStripe } from './stripe-failures.ts'
import { pushTaxId } from './stripe-tax-ids.ts'

/** Access to Stripe, and the objects that an operator has set up there. */
export interface StripeSettings {
  readonly secretKey?: string | undefined
  /** Secret that signs webhooks. */
  readonly webhookSecret?: string | undefined
  /** Ids of the recurring prices of the plans. */
  readonly prices: PerPlan
  /** Addresses of payment links of the plans. */
  readonly links: PerPlan
  /** Another end than Stripe's own, for tests. */
  readonly apiUrl?: string | undefined
}

/** Timeout of one call, milliseconds. */
const TIMEOUT_MS = 15_000

const Envelope = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(255),
  created: z.number().int().nonnegative(),
  livemode: z.boolean(),
  data: z.object({ object: z.unknown() }),
})

/** Creates the adapter over Stripe's SDK. Without a secret key it only reads events. */
export function createStripeProcessor(
  settings: StripeSettings,
  options: { readonly toleranceS: number },
): PaymentProcessor {
  const { prices, secretKey, webhookSecret } = settings
  const client = secretKey === undefined ? null : connect(secretKey, settings.apiUrl)
  const stripe = (): Stripe => {
    if (client === null) throw BILLING_ERRORS.billing_not_configured('payments are not set up')
    return client
  }
  return {
    isLivemode: secretKey === undefined ? null : /^(sk|rk)_live_/.test(secretKey),
    createCheckout: async (request) => await createCheckout(stripe(), prices, request),
    async openPortal({ customerId, returnUrl }) {
      const session = await askStripe(() =>
        stripe().billingPortal.sessions.create({ customer: customerId, return_url: returnUrl }),
      )
      return session.url
    },
    async setCancelAtPeriodEnd({ subscriptionId, isSet }) {
      if (!(await goesOn(stripe(), subscriptionId))) return
      await askStripe(() => stripe().subscriptions.update(subscriptionId, { cancel_at_period_end: isSet }))
    },
    async cancelNow({ subscriptionId }) {
      if (!(await goesOn(stripe(), subscriptionId))) return
      // A repeated call after a lost answer finds the subscription already deleted.
      await known(() => stripe().subscriptions.cancel(subscriptionId, { invoice_now: true, prorate: true }))
    },
    updateCustomer: async (update) => await updateCustomer(stripe(), update),
    findCharge: async (id) => await findCharge(stripe(), id),
    async findChargeOfPaymentIntent(id) {
      const intent = await known(() => stripe().paymentIntents.retrieve(id))
      const charge = intent === null ? null : idOf(intent.latest_charge)
      return charge === null ? null : await findCharge(stripe(), charge)
    },
    refund: async (request) => await refund(stripe(), request),
    readEvent(raw, signature, now) {
      if (webhookSecret === undefined) throw BILLING_ERRORS.billing_not_configured('payments are not set up')
      refuseOtherTimes(signature, now, options.toleranceS)
      return readEvent(raw, signature, { webhookSecret, now, toleranceS: options.toleranceS, prices })
    },
  }
}

function connect(secretKey: string, apiUrl: string | undefined): Stripe {
  const url = apiUrl === undefined ? undefined : new URL(apiUrl)
  return new Stripe(secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 2,
    telemetry: false,
    ...(url !== undefined && {
      host: url.hostname,
      port: url.port || (url.protocol === 'https:' ? '443' : '80'),
      protocol: url.protocol === 'https:' ? 'https' : 'http',
    }),
  })
}

async function createCheckout(stripe: Stripe, prices: PerPlan, request: CheckoutRequest): Promise<StartedCheckout> {
  const price = prices[request.plan]
  if (price === undefined) {
    throw BILLING_ERRORS.billing_not_configured(`no price is set up for the plan ${request.plan}`, {
      details: { missing: [request.plan] },
    })
  }
  const metadata = { [METADATA.tenantId]: request.tenantId, [METADATA.plan]: request.plan, [METADATA.priceId]: price }
  const { customerId, email, idempotencyKey } = request
  const create = async (buyer: Pick<Stripe.Checkout.SessionCreateParams, 'customer' | 'customer_email'>, key: string) =>
    await askStripe(() =>
      stripe.checkout.sessions.create(
        {
          mode: 'subscription',
          line_items: [{ price, quantity: request.quantity }],
          client_reference_id: request.tenantId,
          metadata,
          // Invoices and later events of the subscription carry these, so that they are understood in any order.
          subscription_data: { metadata },
          success_url: request.successUrl,
          cancel_url: request.cancelUrl,
          ...buyer,
        },
        { idempotencyKey: key },
      ),
    )
  const asStranger = email === null ? {} : { customer_email: email }
  const session = await (customerId === null
    ? create(asStranger, idempotencyKey)
    : create({ customer: customerId }, idempotencyKey).catch((error: unknown) => {
        // The operator may have deleted the customer: the buyer becomes a new one.
        if (!isNotFound(error)) throw error
        return create(asStranger, `${idempotencyKey}/new-customer`)
      }))
  if (!session.url) throw BILLING_ERRORS.processor_failed('the payment processor returned no address for the checkout')
  return { id: session.id, url: session.url, customerId: idOf(session.customer) }
}

async function goesOn(stripe: Stripe, subscriptionId: string): Promise<boolean> {
  const subscription = await known(() => stripe.subscriptions.retrieve(subscriptionId))
  return subscription !== null && !isOver(subscription.status)
}

async function updateCustomer(stripe: Stripe, update: CustomerUpdate): Promise<void> {
  const { customerId, companyName, countryCode, taxId, vatNumber } = update
  const address = countryCode === undefined ? undefined : await addressWith(stripe, customerId, countryCode)
  await askStripe(() =>
    stripe.customers.update(customerId, {
      ...(companyName !== undefined && { name: companyName ?? '' }),
      ...(address !== undefined && { address }),
      ...(taxId !== undefined && { metadata: { svc_tax_id: taxId ?? '' } }),
    }),
  )
  if (vatNumber !== undefined) await pushTaxId(stripe, customerId, vatNumber)
}

/** The address that the customer gave, in another country. */
async function addressWith(stripe: Stripe, customerId: string, countryCode: string | null) {
  const customer = await askStripe(() => stripe.customers.retrieve(customerId))
  const given = customer.deleted === true ? {} : (customer.address ?? {})
  const lines = Object.entries(given).flatMap(([name, line]) => (typeof line === 'string' ? [[name, line]] : []))
  return { ...Object.fromEntries(lines), country: countryCode ?? '' }
}

async function findCharge(stripe: Stripe, id: string): Promise<ProcessorCharge | null> {
  const charge = await known(() => stripe.charges.retrieve(id))
  if (charge === null) return null
  const paymentIntentId = idOf(charge.payment_intent)
  const paid =
    paymentIntentId === null
      ? []
      : (
          await askStripe(() =>
            stripe.invoicePayments.list({
              payment: { type: 'payment_intent', payment_intent: paymentIntentId },
              limit: 10,
            }),
          )
        ).data
  return {
    id: charge.id,
    customerId: idOf(charge.customer),
    paymentIntentId,
    invoiceIds: paid.flatMap(({ invoice }) => idOf(invoice) ?? []),
    amountCents: charge.amount,
    refundedCents: charge.amount_refunded,
    currency: charge.currency,
  }
}

async function refund(stripe: Stripe, request: RefundRequest) {
  const { chargeId, amountCents, reason, refundId, tenantId, idempotencyKey } = request
  const made = await askStripe(() =>
    stripe.refunds.create(
      {
        charge: chargeId,
        metadata: { [METADATA.tenantId]: tenantId, [METADATA.refundId]: refundId },
        ...(amountCents !== undefined && { amount: amountCents }),
        ...(reason !== undefined && { reason }),
      },
      { idempotencyKey },
    ),
  )
  return {
    id: made.id,
    status: made.status ?? 'pending',
    amountCents: made.amount,
    currency: made.currency || CURRENCY,
    chargeId: idOf(made.charge),
  }
}

/** The SDK refuses old signatures but accepts future ones: the window applies in both directions. */
function refuseOtherTimes(signature: string, now: Date, toleranceS: number): void {
  const times = signature.split(',').flatMap((part) => (part.startsWith('t=') ? [Number(part.slice(2))] : []))
  const ahead = times.some((time) => !Number.isSafeInteger(time) || time - now.getTime() / 1000 > toleranceS)
  if (times.length !== 1 || ahead) throw badSignature()
}

function readEvent(
  raw: Uint8Array,
  signature: string,
  by: { readonly webhookSecret: string; readonly now: Date; readonly toleranceS: number; readonly prices: PerPlan },
): ProcessorEvent {
  const { webhookSecret, toleranceS, now, prices } = by
  let event: unknown
  try {
    event = Stripe.webhooks.constructEvent(
      Buffer.from(raw),
      signature,
      webhookSecret,
      toleranceS,
      undefined,
      now.getTime(),
    )
  } catch (error) {
    throw badSignature(error)
  }
  try {
    const { id, type, created, livemode, data } = Envelope.parse(event)
    return {
      id,
      type,
      createdS: created,
      isLivemode: livemode,
      snapshot: readSnapshot(data.object, { type, createdS: created, prices }),
    }
  } catch (error) {
    throw KERNEL_ERRORS.validation_failed('the event is signed, but does not match its type', {
      cause: error,
    })
  }
}

function badSignature(cause?: unknown): DomainError {
  return BILLING_ERRORS.invalid_signature('the event is not signed by the payment processor', {
    cause,
  })
}

/** Returns the answer of a call; null when the processor does not know the object. */
async function known<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await askStripe(call)
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

function isNotFound(error: unknown): boolean {
  return KERNEL_ERRORS.not_found.matches(error)
}

function idOf(reference: string | { readonly id: string } | null | undefined): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null)
}
