import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** State of the steps after a failed payment. */
export const DUNNING_STATES = ['scheduled', 'suspended', 'recovered'] as const
/** One of them. */
export type DunningState = (typeof DUNNING_STATES)[number]

/** The reaction to failed payments: reminders, then suspension, until they are paid. */
export const DunningEntity = defineTable({
  name: 'Dunning',
  tableName: 'dunnings',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    subscriptionId: p.text(),
    /** The first invoice of the subscription that failed. */
    invoiceId: p.text(),
    /** Steps that were taken. */
    attempt: p.integer(),
    state: p.enum(DUNNING_STATES),
    nextStepAt: instant().nullable(),
    firstFailedAt: instant(),
    lastFailedAt: instant(),
    suspendedAt: instant().nullable(),
    resolvedAt: instant().nullable(),
    /** While a step is overdue: when the reconciler starts its workflow again; null before the first time. */
    lookAt: instant().nullable(),
  },
  indexes: [
    { properties: ['tenantId'] },
    { name: 'dunnings_to_step', properties: ['nextStepAt'], where: 'next_step_at is not null' },
  ],
  uniques: [
    {
      name: 'dunnings_open',
      properties: ['tenantId', 'subscriptionId'],
      where: 'resolved_at is null',
    },
    { name: 'dunnings_of_invoice', properties: ['invoiceId'] },
  ],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace pays nothing' },
    purge: { stays: 'part of the books' },
    export: {
      section: 'dunnings',
      key: ['id'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        subscriptionId: true,
        invoiceId: true,
        attempt: true,
        state: true,
        nextStepAt: true,
        firstFailedAt: true,
        lastFailedAt: true,
        suspendedAt: true,
        resolvedAt: true,
        lookAt: 'when the reconciler checks its workflow again',
      },
    },
  },
})
