import type { PaymentProcessor } from '../processor.ts'
import { createStripeProcessor, type StripeSettings } from './stripe-processor.ts'

/** Creates the operator's payment processor; null when none is configured. */
export function createProcessor(
  stripe: StripeSettings | undefined,
  options: { readonly toleranceS: number },
): PaymentProcessor | null {
  if (stripe === undefined || (stripe.secretKey === undefined && stripe.webhookSecret === undefined)) return null
  return createStripeProcessor(stripe, options)
}
