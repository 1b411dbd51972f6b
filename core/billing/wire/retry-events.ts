import { z } from 'zod'

/** Body of `POST /v1/admin/billing/retry`. */
export const AdminRetryPaymentEventsBody = z.object({
  before: z.iso
    .datetime()
    .optional()
    .meta({ description: 'Events that were refused before this time; now when absent' }),
})

/** Answer of `POST /v1/admin/billing/retry`. */
export const AdminRetryPaymentEventsAnswer = z.object({
  before: z.iso.datetime(),
  applied: z.int(),
  refused: z.int().meta({ description: 'Still refused' }),
  left: z.int().meta({ description: 'Refused events beyond the limit of this call' }),
  events: z.array(
    z.object({
      event_id: z.string(),
      type: z.string(),
      outcome: z.string().meta({ description: '`applied`, `parked`, `ignored`, or why it is still refused' }),
    }),
  ),
})
