import { z } from 'zod'

const ProcessorId = z.string().regex(/^[a-z]{2,4}_\w{1,120}$/, { error: 'must be an id of the payment processor' })

/** Body of `POST /v1/admin/refund`. */
export const RefundChargeBody = z
  .object({
    charge: ProcessorId.optional(),
    payment_intent: ProcessorId.optional(),
    amount_cents: z
      .int()
      .min(1)
      .max(99_999_999)
      .optional()
      .meta({ description: 'The whole remaining amount when absent' }),
    reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
    tenant_id: z.string().max(64).optional().meta({ description: 'The tenant that owns the charge' }),
  })
  .refine(({ charge, payment_intent }) => (charge === undefined) !== (payment_intent === undefined), {
    path: ['charge'],
    error: 'give either charge or payment_intent',
  })
  .meta({ override: { oneOf: [{ required: ['charge'] }, { required: ['payment_intent'] }] } })

/** Answer of `POST /v1/admin/refund`. */
export const RefundChargeAnswer = z.object({
  tenant_id: z.string(),
  refund: z.object({
    id: z.string(),
    status: z.string(),
    amount_cents: z.int(),
    currency: z.string(),
    charge: z.string().nullable(),
  }),
})
