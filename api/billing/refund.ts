import { z } from 'zod'
import { DomainError } from '../../core/kernel/errors.ts'
import { refundCharge } from '../../db/billing/refunds/refund-charge.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { defineRoute } from '../kernel/route.ts'
import { shopOf } from './shop.ts'

const ProcessorId = z.string().regex(/^[a-z]{2,4}_\w{1,120}$/, { error: 'must be an id of the payment processor' })

export const refundRoute = defineRoute({
  method: 'post',
  path: '/v1/admin/refund',
  operationId: 'refundCharge',
  group: 'admin',
  summary: 'Refund a charge',
  description:
    'The charge must have paid an invoice of a tenant, which gets a credit memo, a line in its audit ledger and a mail. ' +
    'A call whose answer was lost is taken up by the next one.',
  auth: 'admin',
  scope: undefined,
  stores: 'bounded',
  idempotency: 'kernel',
  body: z
    .object({
      charge: ProcessorId.optional(),
      payment_intent: ProcessorId.optional(),
      amount_cents: z.int().min(1).max(99_999_999).optional().meta({ description: 'All that is left when absent' }),
      reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
      tenant_id: z.string().max(64).optional().meta({ description: 'Whose charge you take it for' }),
    })
    .refine(({ charge, payment_intent }) => (charge === undefined) !== (payment_intent === undefined), {
      path: ['charge'],
      error: 'give either charge or payment_intent',
    })
    .meta({ override: { oneOf: [{ required: ['charge'] }, { required: ['payment_intent'] }] } }),
  answers: {
    200: envelope(
      'The refund is on its way',
      z.object({
        tenant_id: z.string(),
        refund: z.object({
          id: z.string(),
          status: z.string(),
          amount_cents: z.int(),
          currency: z.string(),
          charge: z.string().nullable(),
        }),
      }),
    ),
  },
  errors: ['not_found', 'charge_mismatch', 'processor_failed', 'billing_not_configured'],
}).handle(async ({ services, op, body }) => {
  const { processor } = shopOf(services)
  if (processor === null) throw new DomainError('billing_not_configured', 'payments are not set up')
  const { tenantId, refund } = await refundCharge(op, processor, {
    chargeId: body.charge,
    paymentIntentId: body.payment_intent,
    amountCents: body.amount_cents,
    reason: body.reason,
    tenantId: body.tenant_id,
  })
  return {
    status: 200,
    body: {
      tenant_id: tenantId,
      refund: {
        id: refund.id,
        status: refund.status,
        amount_cents: refund.amountCents,
        currency: refund.currency,
        charge: refund.chargeId,
      },
    },
  }
})
