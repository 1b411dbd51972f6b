import type { Database } from '../database.ts'
import { TenantEntity, type Tenant } from './tenant.ts'

/** A tenant by its id; null when there is none. */
export async function findTenant(db: Database, tenantId: string): Promise<Tenant | null> {
  return await db.fork().findOne(TenantEntity, { id: tenantId })
}
