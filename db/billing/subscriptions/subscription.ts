import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { PLAN_IDS } from '../../../core/kernel/tenant/plans.ts'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A subscription as the newest event described it, and what was decided here about its end. */
export const SubscriptionEntity = defineTable({
  name: 'Subscription',
  tableName: 'subscriptions',
  properties: {
    /** The processor's id. */
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    customerId: p.text(),
    /** By our price table, or by the metadata that we wrote; null when neither knows it. */
    plan: p.enum(PLAN_IDS).nullable(),
    priceId: p.text().nullable(),
    /** True when it came by a checkout that was begun here: then that, or an invoice, has to say that it was paid. */
    isSoldHere: p.boolean(),
    /** The processor's word. */
    status: p.text(),
    startedAt: instant(),
    currentPeriodEnd: instant().nullable(),
    isCancelAtPeriodEnd: p.boolean(),
    /** When it ends because somebody here said so; null when nobody did. */
    endsAt: instant().nullable(),
    /** When the processor was told of that end. */
    endPushedAt: instant().nullable(),
    /** When it was decided here that it goes on after all; null once the processor knows. */
    resumeDueAt: instant().nullable(),
    /** The version of the event that the row tells, see `versionOf`. */
    eventCreated: bigCount(),
    eventId: p.text(),
    updatedAt: instant(),
  },
  indexes: [{ properties: ['tenantId'] }, { properties: ['customerId'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace pays nothing' },
    purge: {
      stays: 'part of the books; a late word of the payment processor finds its tenant by them, and ends them again',
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
        isSoldHere: '`checkouts` says it',
        status: true,
        startedAt: true,
        currentPeriodEnd: true,
        isCancelAtPeriodEnd: true,
        endsAt: true,
        endPushedAt: true,
        resumeDueAt: 'working state of what the processor is told',
        eventCreated: 'which message of the processor a row is of',
        eventId: 'which message of the processor a row is of',
        updatedAt: true,
      },
    },
  },
})
