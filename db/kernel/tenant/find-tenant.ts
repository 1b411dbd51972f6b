import type { Database } from '../database.ts'
import { tenantOf } from '../operation.ts'

/** The columns of a tenant that its verbs and presenters need. */
export type FoundTenant = NonNullable<Awaited<ReturnType<typeof findTenant>>>

/** Returns a tenant by its id; null when there is none. */
export async function findTenant(db: Database, tenantId: string) {
  const [tenant] = await tenantOf(db, tenantId).read((q) =>
    q
      .selectFrom('tenants')
      .select([
        'id',
        'name',
        'kind',
        'email',
        'is_email_verified as isEmailVerified',
        'plan',
        'pending_plan as pendingPlan',
        'trial_ends_at as trialEndsAt',
        'quota_override as quotaOverride',
        'billing_status as billingStatus',
        'settings',
        'expires_at as expiresAt',
        'created_at as createdAt',
        'deleted_at as deletedAt',
      ])
      .where('id', '=', tenantId),
  )
  return tenant ?? null
}
