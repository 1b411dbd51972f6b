import { defineEntity, p } from '@mikro-orm/core'
import { bigCount, instant } from '../tables/columns.ts'
import { TenantEntity } from '../tenant/tenant.ts'

/**
 * How many bytes of the blob store a tenant holds. Never less than what its rows and uploads under way hold of the
 * bytes that callers sent, and often more: a recount of the rows lowers it, see `count-held.ts`.
 */
export const TenantStorageEntity = defineEntity({
  name: 'TenantStorage',
  tableName: 'tenant_storage',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    usedBytes: bigCount(),
    /** When the rows were last counted; null asks the next upload to count them. */
    countedAt: instant().nullable(),
  },
})
