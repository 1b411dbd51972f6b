import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { PLAN_IDS } from '../../../core/kernel/tenant/plans.ts'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A subscription as the newest event described it, and the decision made here about its end. */
export const SubscriptionEntity = defineTable({
  name: 'Subscription',
  tableName: 'subscriptions',
  properties: {
    /** The processor's id. */
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    customerId: p.text(),
    /** By our price table, or by our metadata; null when neither gives it. */
    plan: p.enum(PLAN_IDS).nullable(),
    priceId: p.text().nullable(),
    /** True when it came by a checkout begun here: then the checkout or an invoice must confirm the payment. */
    isSoldHere: p.boolean(),
    /** The processor's status. */
    status: p.text(),
    startedAt: instant(),
    currentPeriodEnd: instant().nullable(),
    isCancelAtPeriodEnd: p.boolean(),
    /** When it ends by a decision made here; null without one. */
    endsAt: instant().nullable(),
    /** When the processor was notified of that end. */
    endPushedAt: instant().nullable(),
    /** When its continuation was decided here; null once the processor knows. */
    resumeDueAt: instant().nullable(),
    /** The version of the event behind the row, see `versionOf`. */
    eventCreated: bigCount(),
    eventId: p.text(),
    updatedAt: instant(),
  },
  indexes: [{ properties: ['tenantId'] }, { properties: ['customerId'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace pays nothing' },
    purge: {
      stays: 'part of the books; a late event of the payment processor finds its tenant by them, and ends them again',
    },
    export: {
      section: 'subscriptions',
      key: ['id'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        customerId: true,
        plan: true,
        priceId: true,
        isSoldHere: 'listed in `checkouts`',
        status: true,
        startedAt: true,
        currentPeriodEnd: true,
        isCancelAtPeriodEnd: true,
        endsAt: true,
        endPushedAt: true,
        resumeDueAt: 'working state of updates to the processor',
        eventCreated: 'version of the processor event behind the row',
        eventId: 'id of the processor event behind the row',
        updatedAt: true,
      },
    },
  },
})
