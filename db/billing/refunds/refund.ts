import { defineEntity, p } from '@mikro-orm/core'
import { instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A refund that an operator asked for; its row stands before the processor is called. */
export const RefundEntity = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    chargeId: p.text(),
    paymentIntentId: p.text().nullable(),
    amountCents: p.integer(),
    reason: p.text().nullable(),
    state: p.enum(['pending', 'succeeded', 'failed'] as const),
    processorId: p.text().nullable(),
    /** What makes the call at the processor safe to repeat. */
    idempotencyKey: p.text().unique(),
    createdAt: instant(),
    finishedAt: instant().nullable(),
  },
  indexes: [{ properties: ['tenantId'] }, { properties: ['chargeId'] }],
})
