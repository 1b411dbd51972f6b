import { defineEntity, p } from '@mikro-orm/core'
import { instant } from '../../columns.ts'
import { TenantEntity } from '../../tenants/tenant.ts'

/** How the steps after a payment that failed stand. */
export const DUNNING_STATES = ['scheduled', 'suspended', 'recovered'] as const
/** One of them. */
export type DunningState = (typeof DUNNING_STATES)[number]

/** What follows on payments that failed: reminders, then suspension, until they are made. */
export const DunningEntity = defineEntity({
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
  },
  indexes: [{ properties: ['tenantId'] }],
  uniques: [
    {
      name: 'dunnings_open',
      properties: ['tenantId', 'subscriptionId'],
      where: 'resolved_at is null',
    },
    { name: 'dunnings_of_invoice', properties: ['invoiceId'] },
  ],
})
