import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Database } from '../../kernel/database.ts'
import { findTenant, type FoundTenant } from '../../kernel/tenant/find-tenant.ts'

/** Returns the tenant of the work. Throws `not_found` for one that is deleted: no model is asked for it any more. */
export async function requireTenant(db: Database, tenantId: string): Promise<FoundTenant> {
  const tenant = await findTenant(db, tenantId)
  if (tenant === null || tenant.deletedAt !== null) throw KERNEL_ERRORS.not_found('the account was deleted')
  return tenant
}
