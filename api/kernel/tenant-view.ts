import type { z } from 'zod'
import type { Limits } from '../../core/kernel/limits.ts'
import { PLANS, type PlanId } from '../../core/kernel/tenant/plans.ts'
import { quotaOf } from '../../core/kernel/tenant/quota-of.ts'
import type { TenantView } from '../../core/kernel/wire/tenant.ts'
import type { Database } from '../../db/kernel/database.ts'
import { KERNEL_ERRORS } from '../../core/kernel/errors.ts'
import { findTenant, type FoundTenant } from '../../db/kernel/tenant/find-tenant.ts'

/** The fields that a presenter of tenants needs. */
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
  if (tenant === null) throw KERNEL_ERRORS.not_found('no such tenant')
  return tenant
}
