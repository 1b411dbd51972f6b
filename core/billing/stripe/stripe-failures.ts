import Stripe from 'stripe'
import { DomainError, KERNEL_ERRORS } from '../../kernel/errors.ts'
import { BILLING_ERRORS } from '../errors.ts'

/**
 * Runs one call of Stripe. Throws `not_found` for an object or a customer that Stripe does not know, `charge_mismatch`
 * for a charge that cannot refund the requested amount, `validation_failed` for a tax number that Stripe refuses, and
 * `processor_failed` for everything else. Stripe's messages are kept as the cause, for the log: they may quote customer
 * input.
 */
export async function askStripe<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw explain(error)
  }
}

const NOT_REFUNDABLE = new Set([
  'charge_already_refunded',
  'charge_disputed',
  'charge_not_refundable',
  'amount_too_large',
  'amount_too_small',
])

function explain(error: unknown): unknown {
  if (error instanceof DomainError) return error
  if (!(error instanceof Stripe.errors.StripeError)) {
    return BILLING_ERRORS.processor_failed('the payment processor cannot be reached', { cause: error })
  }
  const { code, statusCode, param } = error
  // Another thing that a call names, such as a price, is missing by the operator's fault.
  if (statusCode === 404 || (code === 'resource_missing' && param === 'customer')) {
    return KERNEL_ERRORS.not_found('the payment processor does not know the object', { cause: error })
  }
  if (code !== undefined && NOT_REFUNDABLE.has(code)) {
    return BILLING_ERRORS.charge_mismatch('the amount is larger than what is left of the charge', {
      details: { reason: code },
      cause: error,
    })
  }
  if (code === 'tax_id_invalid') {
    return KERNEL_ERRORS.validation_failed('the payment processor refused the tax number', {
      details: { reason: code },
      cause: error,
    })
  }
  return BILLING_ERRORS.processor_failed('the payment processor refused the call or did not answer', {
    details: { reason: code ?? error.type },
    cause: error,
  })
}
