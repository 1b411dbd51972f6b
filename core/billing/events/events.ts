import type { PlanId } from '../../kernel/tenant/plans.ts'

/**
 * Snapshot of an object of the payment processor. Every event carries the state of one object; the snapshot keeps the
 * few fields that the service acts on. Times are seconds since the epoch, as the processor writes them, so that a
 * snapshot survives JSON storage.
 */
export type ProcessorSnapshot =
  | CheckoutSnapshot
  | SubscriptionSnapshot
  | InvoiceSnapshot
  | CustomerSnapshot
  | RefundSnapshot

/** An event whose signature was right. */
export interface ProcessorEvent {
  readonly id: string
  readonly type: string
  /** Seconds since the epoch. */
  readonly createdS: number
  readonly isLivemode: boolean
  /** Null for types that the service has no use for. */
  readonly snapshot: ProcessorSnapshot | null
}

/** Owner of an object, from the metadata that the service wrote when it created the object. */
export interface Claim {
  readonly tenantId: string | null
  readonly plan: PlanId | null
  /** The price that the plan was sold at; null where only the plan was written down. */
  readonly priceId: string | null
}

/** A way through the checkout. */
export interface CheckoutSnapshot {
  readonly kind: 'checkout'
  readonly id: string
  readonly claim: Claim
  /** `client_reference_id`: the tenant for whom a payment link was opened. */
  readonly clientReferenceId: string | null
  readonly isSubscription: boolean
  readonly isFromLink: boolean
  readonly paymentStatus: string
  /** Null for a checkout that was not completed. */
  readonly completedAtS: number | null
  readonly currency: string | null
  readonly customerId: string | null
  readonly subscriptionId: string | null
  readonly createdS: number
}

/** A subscription. */
export interface SubscriptionSnapshot {
  readonly kind: 'subscription'
  readonly id: string
  readonly claim: Claim
  readonly customerId: string | null
  readonly status: string
  readonly priceId: string | null
  /** The prices of all its items; absent in snapshots that were stored by earlier versions. */
  readonly priceIds?: readonly string[]
  /** The plan by our price table, or else the one that we sold this price as. */
  readonly plan: PlanId | null
  readonly currency: string | null
  readonly currentPeriodEndS: number | null
  readonly isCancelAtPeriodEnd: boolean
  readonly createdS: number
}

/** An invoice. */
export interface InvoiceSnapshot {
  readonly kind: 'invoice'
  readonly id: string
  readonly claim: Claim
  readonly customerId: string | null
  readonly subscriptionId: string | null
  readonly number: string | null
  readonly amountPaidCents: number
  readonly currency: string
  readonly status: string
  readonly hostedInvoiceUrl: string | null
  readonly invoicePdf: string | null
  readonly periodStartS: number | null
  readonly periodEndS: number | null
  readonly description: string | null
  readonly chargeId: string | null
  readonly paymentIntentId: string | null
  readonly createdS: number
  /** Time of the failed payment that this event reports, seconds. */
  readonly failedAtS: number | null
  readonly paidAtS: number | null
}

/** A customer. */
export interface CustomerSnapshot {
  readonly kind: 'customer'
  readonly customerId: string
  readonly creditBalanceCents: number
  readonly currency: string | null
}

/** A refund. */
export interface RefundSnapshot {
  readonly kind: 'refund'
  readonly id: string
  readonly claim: Claim
  /** The service's own id of the refund, when it was requested here. */
  readonly refundId: string | null
  readonly customerId: string | null
  readonly chargeId: string | null
  readonly paymentIntentId: string | null
  readonly amountCents: number
  readonly currency: string
  readonly status: string
  readonly createdS: number
}

/** The names under which we write into the processor's metadata. */
export const METADATA = {
  tenantId: 'svc_tenant_id',
  plan: 'svc_plan',
  priceId: 'svc_price_id',
  refundId: 'svc_refund_id',
} as const

/**
 * Returns a number that orders the events of one object. The processor's clock has a resolution of one second, and a
 * checkout causes several events within one: creations come before changes, and changes before ends.
 */
export function versionOf(event: Pick<ProcessorEvent, 'type' | 'createdS'>): number {
  return event.createdS * 10 + placeOf(event.type)
}

function placeOf(type: string): number {
  if (type.endsWith('.created')) return 0
  return type.endsWith('.deleted') ? 2 : 1
}
