import type { Operation } from '../operation.ts'
import { forkForTenant } from '../tenant-filter.ts'
import { ApiKeyEntity, type ApiKey } from './api-key.ts'

/** The tenant's newest primary key that is not revoked; null when it has none. */
export async function findPrimaryKey(op: Operation): Promise<ApiKey | null> {
  return await forkForTenant(op.db, op.tenantId).findOne(
    ApiKeyEntity,
    { kind: 'primary', revokedAt: null },
    { orderBy: { createdAt: 'desc' } },
  )
}
