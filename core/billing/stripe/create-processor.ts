import type { PaymentProcessor } from '../processor.ts'
import { createStripeProcessor, type StripeSettings } from './stripe-processor.ts'

/** The payment processor that an operator has set up; null when there is none. */
export function createProcessor(
  stripe: StripeSettings | undefined,
  options: { readonly toleranceS: number },
): PaymentProcessor | null {
  if (stripe === undefined || (stripe.secretKey === undefined && stripe.webhookSecret === undefined)) return null
  return createStripeProcessor(stripe, options)
}
