import { refundCharge } from '../../db/billing/refunds/refund-charge.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { shopOf } from './shop.ts'
import { RefundChargeAnswer, RefundChargeBody } from '../../core/billing/wire/refund.ts'
import { BILLING_ERRORS } from '../../core/billing/errors.ts'
import { defineRoute } from './services.ts'

export const refundRoute = defineRoute({
  method: 'post',
  path: '/v1/admin/refund',
  operationId: 'refundCharge',
  group: 'admin',
  summary: 'Refund a charge',
  description:
    'The charge must have paid an invoice of a tenant, which gets a credit memo, a line in its audit ledger and a mail. ' +
    'After a lost answer, repeat the call: the refund is made once.',
  auth: 'admin',
  scope: undefined,
  stores: 'bounded',
  idempotency: 'kernel',
  body: RefundChargeBody,
  answers: {
    200: envelope('The refund is on its way', RefundChargeAnswer),
  },
  errors: ['not_found', 'charge_mismatch', 'processor_failed', 'billing_not_configured'],
}).handle(async ({ services, op, body }) => {
  const { processor } = shopOf(services)
  if (processor === null) throw BILLING_ERRORS.billing_not_configured('payments are not set up')
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
