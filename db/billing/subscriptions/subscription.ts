import { defineEntity, p } from '@mikro-orm/core'
import { PLAN_IDS } from '../../../core/kernel/tenant/plans.ts'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A subscription as the newest event described it, and what was decided here about its end. */
export const SubscriptionEntity = defineEntity({
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
})
