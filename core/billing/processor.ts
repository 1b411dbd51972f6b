import type { PlanId } from '../kernel/tenant/plans.ts'
import type { ProcessorEvent } from './events/events.ts'

/**
 * The payment processor. Calls throw `processor_failed` when it does not answer or refuses, and
 * `billing_not_configured` without a key. Calls that create an object carry an idempotency key, so that they can be
 * repeated after a lost answer. Calls that set a state carry none: they are idempotent, and under an old key the
 * processor would return its earlier answer and change nothing.
 */
export interface PaymentProcessor {
  /**
   * False for a processor in test mode, null when the key does not show the mode. Events of the other mode have no
   * effect.
   */
  readonly isLivemode: boolean | null
  /** Begins a checkout of a plan, which the processor carries as metadata. Without the customer when that is gone. */
  createCheckout(input: CheckoutRequest): Promise<StartedCheckout>
  /** Opens a page on which the customer manages its payments; answers its address. Throws `not_found` for none. */
  openPortal(input: { readonly customerId: string; readonly returnUrl: string }): Promise<string>
  /** Ends a subscription at the end of its period, or undoes that. No effect on a subscription that has ended. */
  setCancelAtPeriodEnd(input: { readonly subscriptionId: string; readonly isSet: boolean }): Promise<void>
  /** Ends a subscription at once; the processor computes the credit for the rest. No effect on one that has ended. */
  cancelNow(input: { readonly subscriptionId: string }): Promise<void>
  /**
   * Writes the tax fields onto the customer. Fields that are absent stay; null ones are taken away. Throws `not_found` for
   * a customer that is gone, and `validation_failed` for a number that the processor takes for wrong.
   */
  updateCustomer(input: CustomerUpdate): Promise<void>
  /** A charge; null when the processor does not know it. */
  findCharge(id: string): Promise<ProcessorCharge | null>
  /** Returns the charge of a payment intent; null without one. */
  findChargeOfPaymentIntent(id: string): Promise<ProcessorCharge | null>
  /** Refunds money. Throws `charge_mismatch` when the amount is larger than what is left of the charge. */
  refund(input: RefundRequest): Promise<ProcessorRefund>
  /** An event out of the bytes that were delivered. Throws `invalid_signature`. */
  readEvent(raw: Uint8Array, signature: string, now: Date): ProcessorEvent
}

/** The plan to buy, its buyer, and the address to return to. */
export interface CheckoutRequest {
  readonly tenantId: string
  readonly plan: PlanId
  readonly customerId: string | null
  readonly email: string | null
  readonly quantity: 1
  readonly successUrl: string
  readonly cancelUrl: string
  readonly idempotencyKey: string
}

/** A checkout that waits for its buyer. */
export interface StartedCheckout {
  readonly id: string
  readonly url: string
  readonly customerId: string | null
}

/** Fields of a customer that the processor receives. */
export interface CustomerUpdate {
  readonly customerId: string
  readonly taxId?: string | null | undefined
  readonly vatNumber?: string | null | undefined
  readonly companyName?: string | null | undefined
  readonly countryCode?: string | null | undefined
}

/** A payment that was made. */
export interface ProcessorCharge {
  readonly id: string
  readonly customerId: string | null
  readonly paymentIntentId: string | null
  /** The invoices that it paid. */
  readonly invoiceIds: readonly string[]
  readonly amountCents: number
  readonly refundedCents: number
  readonly currency: string
}

/** Reasons for a refund, as the processor names them. */
export type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer'

/** A refund of a charge. */
export interface RefundRequest {
  readonly chargeId: string
  /** The whole remaining amount when absent. */
  readonly amountCents?: number | undefined
  readonly reason?: RefundReason | undefined
  /** Our own ids, which the processor keeps with it. */
  readonly refundId: string
  readonly tenantId: string
  readonly idempotencyKey: string
}

/** A refund as the processor sees it. */
export interface ProcessorRefund {
  readonly id: string
  readonly status: string
  readonly amountCents: number
  readonly currency: string
  readonly chargeId: string | null
}
