import { p, type InferEntity } from '@mikro-orm/core'
import { TENANT_KINDS } from '../../../core/kernel/tenant/tenant-kinds.ts'
import { defineTable } from '../tables/define-table.ts'
import { BILLING_STATUSES } from '../../../core/kernel/tenant/billing-status.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { PLAN_IDS } from '../../../core/kernel/tenant/plans.ts'
import { bigCount, document, instant } from '../tables/columns.ts'

/** A customer of the service. All other rows belong to one by its id. */
export const TenantEntity = defineTable({
  name: 'Tenant',
  tableName: 'tenants',
  properties: {
    id: p.text().primary(),
    name: p.text().unique(),
    kind: p.enum(TENANT_KINDS).default('user'),
    /** Lower-case. One verified address is one tenant; the owner of an unverified one is unknown. */
    email: p.text().nullable(),
    isEmailVerified: p.boolean(),
    /** The plan in force. */
    plan: p.enum(PLAN_IDS),
    /** A requested paid plan that is not paid yet; until then the tenant has the free plan's limits. */
    pendingPlan: p.enum(PLAN_IDS).nullable(),
    trialEndsAt: instant().nullable(),
    /** A plan granted by an administrator; in force unless a higher one is paid for. */
    grantedPlan: p.enum(PLAN_IDS).nullable(),
    /** Overrides the plan's units per month. */
    quotaOverride: bigCount().nullable(),
    billingStatus: p.enum(BILLING_STATUSES).default('free'),
    /** Settings of its owner; see `core/accounts/settings.ts`. */
    settings: document<JsonObject>().default('{}'),
    /** When an anonymous workspace is removed. */
    expiresAt: instant().nullable(),
    /** The tenant that an anonymous workspace was merged into. */
    claimedInto: p.text().nullable(),
    createdAt: instant(),
    deletedAt: instant().nullable(),
    /** When its data was removed. */
    purgedAt: instant().nullable(),
    /** When the reconciler starts the deletion workflow again; null when no work is due. */
    deletionLookAt: instant().nullable(),
  },
  indexes: [
    { properties: ['email'] },
    { name: 'tenants_to_expire', properties: ['expiresAt'], where: 'expires_at is not null' },
    { name: 'tenants_to_purge', properties: ['deletedAt'], where: 'deleted_at is not null and purged_at is null' },
    { name: 'tenants_to_clear_up', properties: ['deletionLookAt'], where: 'deletion_look_at is not null' },
    { name: 'tenants_newest', properties: ['createdAt', 'id'] },
  ],
  uniques: [
    { name: 'tenants_verified_email', properties: ['email'], where: 'is_email_verified and deleted_at is null' },
  ],
  facts: {
    tenant: 'itself',
    export: {
      columns: {
        id: true,
        name: true,
        kind: true,
        email: true,
        isEmailVerified: true,
        plan: true,
        pendingPlan: true,
        trialEndsAt: true,
        grantedPlan: true,
        quotaOverride: true,
        billingStatus: true,
        settings: true,
        expiresAt: true,
        claimedInto: 'of a merged workspace',
        createdAt: true,
        deletedAt: 'of a deleted tenant',
        purgedAt: 'of a deleted tenant',
        deletionLookAt: 'when the reconciler checks its deletion again',
      },
    },
    sweeps: [
      { name: 'workspaces', summary: 'End expired anonymous workspaces', by: { special: 'requests their deletion' } },
      {
        name: 'deletedTenants',
        summary: 'Request the purge of deleted tenants whose grace period is over',
        by: { special: 'requests the workflow that removes the data; the row itself stays' },
      },
    ],
  },
})

export type Tenant = InferEntity<typeof TenantEntity>
