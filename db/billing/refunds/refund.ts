import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { instant } from '../../kernel/tables/columns.ts'
import type { RefundReason } from '../../../core/billing/processor.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A refund requested by an operator; its row exists before the processor is called. */
export const RefundEntity = defineTable({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    chargeId: p.text(),
    paymentIntentId: p.text().nullable(),
    amountCents: p.integer(),
    reason: p.text().$type<RefundReason>().nullable(),
    state: p.enum(['pending', 'succeeded', 'failed'] as const),
    processorId: p.text().nullable(),
    /** The idempotency key that makes the processor call safe to repeat. */
    idempotencyKey: p.text().unique(),
    createdAt: instant(),
    finishedAt: instant().nullable(),
  },
  indexes: [{ properties: ['tenantId'] }, { properties: ['chargeId'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace pays nothing' },
    purge: { stays: 'part of the books' },
    export: {
      section: 'refunds',
      key: ['id'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        chargeId: true,
        paymentIntentId: true,
        amountCents: true,
        reason: true,
        state: true,
        processorId: true,
        idempotencyKey: 'identifies a repeated call',
        createdAt: true,
        finishedAt: true,
      },
    },
  },
})
