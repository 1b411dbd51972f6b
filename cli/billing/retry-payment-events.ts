import type { z } from 'zod'
import {
  AdminRetryPaymentEventsAnswer,
  type AdminRetryPaymentEventsBody,
} from '../../core/billing/wire/retry-events.ts'
import type { CliContext } from '../context.ts'
import { formatTable } from '../terminal/table.ts'

/** `svc admin billing retry`. */
export async function retryPaymentEvents(context: CliContext): Promise<void> {
  const { adminHeaders } = context
  const client = await (adminHeaders === undefined ? context.client() : context.guest())
  const total = { applied: 0, refused: 0 }
  const events: z.input<typeof AdminRetryPaymentEventsAnswer>['events'] = []
  for (let left = 1, before: string | undefined; left > 0;) {
    const answer = await client.call('/v1/admin/billing/retry', AdminRetryPaymentEventsAnswer, {
      method: 'POST',
      json: { before } satisfies z.input<typeof AdminRetryPaymentEventsBody>,
      ...(adminHeaders !== undefined && { headers: adminHeaders }),
    })
    total.applied += answer.applied
    total.refused += answer.refused
    events.push(...answer.events)
    before = answer.before
    left = answer.events.length === 0 ? 0 : answer.left
  }
  context.output.result({ ...total, events }, () =>
    events.length === 0
      ? 'there are no refused payment events'
      : [
          formatTable(
            ['event', 'type', 'outcome'],
            events.map((event) => [event.event_id, event.type, event.outcome]),
          ),
          `${total.applied} applied, ${total.refused} still refused`,
        ].join('\n'),
  )
}
