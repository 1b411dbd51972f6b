import { isRefused } from '../../core/billing/events/event-outcomes.ts'
import { retryRefusedEvents } from '../../db/billing/across/refused-events.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { AdminRetryPaymentEventsAnswer, AdminRetryPaymentEventsBody } from '../../core/billing/wire/retry-events.ts'
import { BILLING_ERRORS } from '../../core/billing/errors.ts'
import { defineRoute } from './services.ts'

/** Number of events that one call processes again. */
const BATCH = 200

export const retryPaymentEventsRoute = defineRoute({
  method: 'post',
  path: '/v1/admin/billing/retry',
  operationId: 'adminRetryPaymentEvents',
  group: 'admin',
  summary: 'Process refused payment events again',
  description:
    'Call it after fixing the reason: the mode of the key, the price table, a missing tenant. Each event has its ' +
    'effect once; what is still refused stays. While `left` is above 0, call again with the `before` of the first answer.',
  auth: 'admin',
  scope: undefined,
  stores: 'bounded',
  body: AdminRetryPaymentEventsBody,
  answers: {
    200: envelope('The outcomes', AdminRetryPaymentEventsAnswer),
  },
  errors: ['billing_not_configured', 'store_unavailable'],
}).handle(async ({ services, requestId, body }) => {
  const { processor, limits, db, settings } = services
  if (processor === null) throw BILLING_ERRORS.billing_not_configured('payments are not set up')
  const now = services.now()
  const before = body.before === undefined ? now : new Date(body.before)
  const { events, left } = await retryRefusedEvents(db, {
    requestId,
    now,
    before,
    limits,
    isLivemode: processor.isLivemode,
    prices: settings.stripe?.prices ?? {},
    limit: BATCH,
  })
  return {
    status: 200,
    body: {
      before: before.toISOString(),
      applied: events.filter(({ outcome }) => outcome === 'applied').length,
      refused: events.filter(({ outcome }) => isRefused(outcome)).length,
      left,
      events: events.map(({ id, type, outcome }) => ({ event_id: id, type, outcome })),
    },
  }
})
