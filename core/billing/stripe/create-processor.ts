import type { PaymentProcessor } from '../processor.ts'
import type { StripeSettings } from './stripe-processor.ts'

/** Creates the operator's payment processor; null when none is configured. Its SDK is loaded only where it is used. */
export async function createProcessor(
  stripe: StripeSettings | undefined,
  options: { readonly toleranceS: number },
): Promise<PaymentProcessor | null> {
  if (stripe === undefined || (stripe.secretKey === undefined && stripe.webhookSecret === undefined)) return null
  const { createStripeProcessor } = await import('./stripe-processor.ts')
  return createStripeProcessor(stripe, options)
}
