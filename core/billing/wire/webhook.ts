import { z } from 'zod'

/** Answer of `POST /v1/webhooks/stripe`. */
export const ReceivePaymentEventAnswer = z.object({
  received: z.literal(true),
  idempotent: z.boolean().meta({ description: 'True for one that was delivered before and has no effect now' }),
  outcome: z.string().meta({ description: '`applied`, `parked`, `ignored`, or why it was refused' }),
})
