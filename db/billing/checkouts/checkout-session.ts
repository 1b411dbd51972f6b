import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { PLAN_IDS } from '../../../core/kernel/tenant/plans.ts'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** One checkout at the processor, begun here or by a payment link. */
export const CheckoutSessionEntity = defineTable({
  name: 'CheckoutSession',
  tableName: 'checkout_sessions',
  properties: {
    /** The processor's id. */
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    /** The plan; null for a payment link, where the subscription's price determines it. */
    plan: p.enum(PLAN_IDS).nullable(),
    source: p.enum(['checkout', 'link'] as const),
    /** The processor's status: `paid`, `no_payment_required` or `unpaid`; null until completion. */
    paymentStatus: p.text().nullable(),
    customerId: p.text().nullable(),
    subscriptionId: p.text().nullable(),
    url: p.text().nullable(),
    /** The version of the event behind the row, see `versionOf`; 0 before any event. */
    eventCreated: bigCount(),
    eventId: p.text(),
    createdAt: instant(),
    completedAt: instant().nullable(),
  },
  indexes: [
    { properties: ['tenantId', 'createdAt'] },
    { properties: ['customerId'] },
    { properties: ['subscriptionId'] },
  ],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace pays nothing' },
    purge: { stays: 'part of the books; a late payment finds its tenant by them' },
    export: {
      section: 'checkouts',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        plan: true,
        source: true,
        paymentStatus: true,
        customerId: true,
        subscriptionId: true,
        url: 'opens a payment page without a sign-in',
        eventCreated: 'version of the processor event behind the row',
        eventId: 'id of the processor event behind the row',
        createdAt: true,
        completedAt: true,
      },
    },
  },
})
