import { z } from 'zod'
import { DomainError } from '../../../core/kernel/errors.ts'
import { PLAN_IDS, PLANS, type PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { quotaOf } from '../../../core/kernel/tenant/quota-of.ts'
import { findTenant, type FoundTenant } from '../../../db/kernel/tenant/find-tenant.ts'

export const Plan = z.enum(PLAN_IDS).meta({ id: 'Plan', description: 'Id of a plan' })

/** A tenant as its owner sees it. */
export const TenantView = z
  .object({
    id: z.string(),
    name: z.string(),
    plan: Plan,
    quota: z.int().meta({ description: 'Units per calendar month' }),
    seats: z.int(),
    trial_ends_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Tenant' })

/** What a presenter of tenants needs. */
export interface PresentableTenant {
  readonly id: string
  readonly name: string
  readonly plan: PlanId
  /** Units per month in place of the plan's. */
  readonly quotaOverride?: number | null | undefined
  readonly trialEndsAt?: Date | null | undefined
}

/** The fields of a tenant that its owner may see. */
export function presentTenant(tenant: PresentableTenant, limits: Limits): z.input<typeof TenantView> {
  const { plan, quotaOverride: quota = null } = tenant
  return {
    id: tenant.id,
    name: tenant.name,
    plan,
    quota: quotaOf({ plan, quota }, limits),
    seats: PLANS[plan].seats,
    trial_ends_at: tenant.trialEndsAt?.toISOString() ?? null,
  }
}

/** The tenant of an authenticated call. Throws `not_found` when it was deleted a moment ago. */
export async function tenantOf(db: Database, tenantId: string): Promise<FoundTenant> {
  const tenant = await findTenant(db, tenantId)
  if (tenant === null) throw new DomainError('not_found', 'no such tenant')
  return tenant
}
