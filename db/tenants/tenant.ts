import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import { PLAN_IDS } from '../../core/tenancy/plans.ts'
import { instant } from '../columns.ts'

/** A customer of the service. Everything else belongs to one by its id. */
export const TenantEntity = defineEntity({
  name: 'Tenant',
  tableName: 'tenants',
  properties: {
    id: p.text().primary(),
    name: p.text().unique(),
    /** Lower-case, so that one address is one tenant. */
    email: p.text().unique(),
    isEmailVerified: p.boolean(),
    plan: p.enum(PLAN_IDS),
    /** A paid plan that was asked for and is not paid yet; the tenant has the free plan's limits until it is. */
    pendingPlan: p.enum(PLAN_IDS).nullable(),
    trialEndsAt: instant().nullable(),
    createdAt: instant(),
  },
})

export type Tenant = InferEntity<typeof TenantEntity>
