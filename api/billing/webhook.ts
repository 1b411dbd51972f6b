import { WEBHOOKS } from '../kernel/guard/public-limits.ts'
import type { PaymentProcessor } from '../../core/billing/processor.ts'
import { KERNEL_ERRORS } from '../../core/kernel/errors.ts'
import { isRefused } from '../../core/billing/events/event-outcomes.ts'
import { recordEvent } from '../../db/billing/across/record-event.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { RawBytes } from '../../core/kernel/wire/values.ts'
import { ReceivePaymentEventAnswer } from '../../core/billing/wire/webhook.ts'
import type { ProcessorEvent } from '../../core/billing/events/events.ts'
import { BILLING_ERRORS } from '../../core/billing/errors.ts'
import { defineRoute } from './services.ts'

export const receivePaymentEventRoute = defineRoute({
  method: 'post',
  path: '/v1/webhooks/stripe',
  limit: WEBHOOKS,
  operationId: 'receivePaymentEvent',
  group: 'billing',
  summary: 'Receive an event of the payment processor',
  description:
    'For Stripe, which signs its events. An event that was applied before has no second effect, one that was refused ' +
    'is judged again; a type that the service has no use for is taken and ignored.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  rawBody: 'webhook_body_bytes',
  body: RawBytes,
  answers: {
    200: envelope('The event is taken in', ReceivePaymentEventAnswer),
  },
  errors: ['invalid_signature', 'billing_not_configured', 'store_unavailable'],
}).handle(async ({ services, request, requestId, body }) => {
  const { processor, limits, log, db } = services
  if (processor === null) throw BILLING_ERRORS.billing_not_configured('payments are not set up')
  const signature = request.headersDistinct['stripe-signature'] ?? []
  const [only] = signature
  if (only === undefined || signature.length > 1) {
    throw BILLING_ERRORS.invalid_signature('exactly one Stripe-Signature header is required')
  }
  const now = services.now()
  const event = readEvent(processor, { body, signature: only, now }, (error) =>
    log.warn({ err: error, request_id: requestId }, 'a signed event of the payment processor cannot be read'),
  )
  const { outcome, isRepeated } = await recordEvent(db, event, {
    requestId,
    now,
    limits,
    isLivemode: processor.isLivemode,
  })
  if (isRefused(outcome)) {
    log.warn(
      { event: event.id, type: event.type, outcome },
      'an event of the payment processor was refused; fix the reason, then send it again or run svc admin billing retry',
    )
  }
  return { status: 200, body: { received: true, idempotent: isRepeated, outcome } }
})

/** Parses an event. Warns of one that is signed and cannot be parsed: only the log can show it to the operator. */
function readEvent(
  processor: PaymentProcessor,
  delivered: { readonly body: Uint8Array; readonly signature: string; readonly now: Date },
  warn: (error: unknown) => void,
): ProcessorEvent {
  const { body, signature, now } = delivered
  try {
    return processor.readEvent(body, signature, now)
  } catch (error) {
    if (KERNEL_ERRORS.validation_failed.matches(error)) warn(error)
    throw error
  }
}
