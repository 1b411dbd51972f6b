import { z } from 'zod'
import type { PlanId } from '../../kernel/tenant/plans.ts'
import { METADATA, type Claim, type ProcessorSnapshot, type SubscriptionSnapshot } from './events.ts'
import { paidPlan, planOfPrice, type PerPlan } from '../price-table.ts'

/** Another object: its id, or the object itself if the processor was asked to include it. */
const Ref = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null)
const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? null)
const Seconds = z
  .number()
  .int()
  .nullish()
  .transform((seconds) => seconds ?? null)
const Metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((metadata) => metadata ?? {})

const Checkout = z.object({
  id: z.string(),
  metadata: Metadata,
  client_reference_id: Text,
  mode: Text,
  status: Text,
  payment_status: z.string(),
  payment_link: Ref,
  currency: Text,
  customer: Ref,
  subscription: Ref,
  created: z.number().int(),
})

const Subscription = z.object({
  id: z.string(),
  metadata: Metadata,
  customer: Ref,
  status: z.string(),
  currency: Text,
  cancel_at_period_end: z.boolean().default(false),
  cancel_at: Seconds,
  created: z.number().int(),
  /** On the items since the processor's API version of March 2025. */
  current_period_end: Seconds,
  items: z.object({ data: z.array(z.object({ price: Ref, current_period_end: Seconds })) }).default({ data: [] }),
})

const Details = z.object({ subscription: Ref, metadata: Metadata }).nullish()

const Invoice = z.object({
  id: z.string(),
  metadata: Metadata,
  customer: Ref,
  number: Text,
  amount_paid: z.number().int().default(0),
  currency: z.string(),
  status: Text,
  hosted_invoice_url: Text,
  invoice_pdf: Text,
  period_start: Seconds,
  period_end: Seconds,
  description: Text,
  created: z.number().int(),
  /** Place of the subscription in current and in older API versions. */
  parent: z.object({ subscription_details: Details }).nullish(),
  subscription_details: Details,
  subscription: Ref,
  charge: Ref,
  payment_intent: Ref,
  payments: z
    .object({ data: z.array(z.object({ payment: z.object({ charge: Ref, payment_intent: Ref }).nullish() })) })
    .nullish(),
  status_transitions: z.object({ paid_at: Seconds }).nullish(),
})

const Customer = z.object({ id: z.string(), balance: z.number().int().default(0), currency: Text })

const Refund = z.object({
  id: z.string(),
  metadata: Metadata,
  customer: Ref,
  charge: Ref,
  payment_intent: Ref,
  amount: z.number().int(),
  currency: z.string(),
  status: Text,
  created: z.number().int(),
})

/** Facts of an event besides its object. */
interface About {
  readonly type: string
  readonly createdS: number
  readonly prices: PerPlan
}

/**
 * Returns the snapshot that an event carries; null for types that the service does not use. Throws a `ZodError` for an
 * object that does not match its type.
 */
export function readSnapshot(object: unknown, about: About): ProcessorSnapshot | null {
  switch (about.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'checkout.session.expired':
      return readCheckout(object, about)
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'customer.subscription.deleted':
      return readSubscription(object, about)
    case 'invoice.paid':
    case 'invoice.payment_succeeded':
    case 'invoice.payment_failed':
    case 'invoice.voided':
    case 'invoice.marked_uncollectible':
      return readInvoice(object, about)
    case 'customer.created':
    case 'customer.updated':
      return readCustomer(object)
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return readRefund(object)
    default:
      return null
  }
}

function readCheckout(object: unknown, { createdS }: About): ProcessorSnapshot {
  const session = Checkout.parse(object)
  return {
    kind: 'checkout',
    id: session.id,
    claim: claimOf(session.metadata),
    clientReferenceId: session.client_reference_id,
    isSubscription: session.mode === 'subscription',
    isFromLink: session.payment_link !== null,
    paymentStatus: session.payment_status,
    completedAtS: session.status === 'complete' ? createdS : null,
    currency: session.currency,
    customerId: session.customer,
    subscriptionId: session.subscription,
    createdS: session.created,
  }
}

function readSubscription(object: unknown, { prices }: About): ProcessorSnapshot {
  const subscription = Subscription.parse(object)
  const items = subscription.items.data
  const ends = items.flatMap((item) => item.current_period_end ?? [])
  const currentPeriodEndS = subscription.current_period_end ?? (ends.length === 0 ? null : Math.max(...ends))
  const cancelAt = subscription.cancel_at
  const priceIds = items.flatMap(({ price }) => price ?? [])
  const claim = claimOf(subscription.metadata)
  return {
    kind: 'subscription',
    id: subscription.id,
    claim,
    customerId: subscription.customer,
    status: subscription.status,
    priceIds,
    ...soldAs(prices, priceIds, claim),
    currency: subscription.currency,
    currentPeriodEndS: currentPeriodEndS ?? cancelAt,
    // The portal writes the end of the period as a date.
    isCancelAtPeriodEnd:
      subscription.cancel_at_period_end ||
      (cancelAt !== null && currentPeriodEndS !== null && cancelAt <= currentPeriodEndS),
    createdS: subscription.created,
  }
}

/** The price that decides the plan of a subscription, and that plan. */
function soldAs(
  prices: PerPlan,
  priceIds: readonly string[],
  claim: Claim,
): Pick<SubscriptionSnapshot, 'priceId' | 'plan'> {
  const priceId = priceIds.find((id) => planOfPrice(prices, id) !== null) ?? priceIds[0] ?? null
  // If the price changed after the metadata was written, the metadata's plan no longer applies.
  const plan = planOfPrice(prices, priceId) ?? (claim.priceId === null || claim.priceId === priceId ? claim.plan : null)
  return { priceId, plan }
}

/** Returns a stored snapshot with the plan of the current price table. */
export function repriced(snapshot: ProcessorSnapshot, prices: PerPlan): ProcessorSnapshot {
  if (snapshot.kind !== 'subscription') return snapshot
  const priceIds = snapshot.priceIds ?? (snapshot.priceId === null ? [] : [snapshot.priceId])
  return { ...snapshot, ...soldAs(prices, priceIds, snapshot.claim) }
}

function readInvoice(object: unknown, { type, createdS }: About): ProcessorSnapshot {
  const invoice = Invoice.parse(object)
  const details = invoice.parent?.subscription_details ?? invoice.subscription_details
  const payment = invoice.payments?.data.find((each) => each.payment)?.payment
  const isPaid = invoice.status === 'paid'
  return {
    kind: 'invoice',
    id: invoice.id,
    claim: claimOf({ ...details?.metadata, ...invoice.metadata }),
    customerId: invoice.customer,
    subscriptionId: details?.subscription ?? invoice.subscription,
    number: invoice.number,
    amountPaidCents: invoice.amount_paid,
    currency: invoice.currency,
    status: invoice.status ?? 'open',
    hostedInvoiceUrl: invoice.hosted_invoice_url,
    invoicePdf: invoice.invoice_pdf,
    periodStartS: invoice.period_start,
    periodEndS: invoice.period_end,
    description: invoice.description,
    chargeId: invoice.charge ?? payment?.charge ?? null,
    paymentIntentId: invoice.payment_intent ?? payment?.payment_intent ?? null,
    createdS: invoice.created,
    failedAtS: type === 'invoice.payment_failed' ? createdS : null,
    paidAtS: isPaid ? (invoice.status_transitions?.paid_at ?? createdS) : null,
  }
}

function readCustomer(object: unknown): ProcessorSnapshot {
  const customer = Customer.parse(object)
  // A negative balance is a credit of the customer.
  return {
    kind: 'customer',
    customerId: customer.id,
    creditBalanceCents: 0 - customer.balance,
    currency: customer.currency,
  }
}

function readRefund(object: unknown): ProcessorSnapshot {
  const refund = Refund.parse(object)
  return {
    kind: 'refund',
    id: refund.id,
    claim: claimOf(refund.metadata),
    refundId: refund.metadata[METADATA.refundId] ?? null,
    customerId: refund.customer,
    chargeId: refund.charge,
    paymentIntentId: refund.payment_intent,
    amountCents: refund.amount,
    currency: refund.currency,
    status: refund.status ?? 'pending',
    createdS: refund.created,
  }
}

function claimOf(metadata: Readonly<Record<string, string>>): Claim {
  const plan: PlanId | null = paidPlan(metadata[METADATA.plan])
  return { tenantId: metadata[METADATA.tenantId] ?? null, plan, priceId: metadata[METADATA.priceId] ?? null }
}
