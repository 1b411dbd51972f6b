import type { Form } from './form.ts'
import type { StripeObject } from './objects.ts'

/** A call that reached the server. */
export interface StripeCall {
  readonly method: string
  readonly path: string
  readonly form: Form
  readonly idempotencyKey: string | undefined
}

/** The server's objects, by id. Tests put objects there, and read them afterwards. */
export interface StripeState {
  readonly subscriptions: Map<string, StripeObject>
  readonly customers: Map<string, StripeObject>
  readonly taxIds: Map<string, StripeObject>
  readonly charges: Map<string, StripeObject>
  readonly paymentIntents: Map<string, StripeObject>
  readonly invoicePayments: Map<string, StripeObject>
  readonly checkouts: Map<string, StripeObject>
  readonly refunds: Map<string, StripeObject>
}
