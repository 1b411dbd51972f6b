import { p } from '@mikro-orm/core'
import { defineTable } from '../tables/define-table.ts'
import { bigCount, instant } from '../tables/columns.ts'
import { TenantEntity } from '../tenant/tenant.ts'

/**
 * Bytes of the blob store that a tenant holds. Never less than the callers' bytes in its rows and uploads under way,
 * and often more: a recount of the rows lowers it, see `count-held.ts`.
 */
export const TenantStorageEntity = defineTable({
  name: 'TenantStorage',
  tableName: 'tenant_storage',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    usedBytes: bigCount(),
    /** When the rows were last counted; null makes the next upload count them. */
    countedAt: instant().nullable(),
  },
  facts: {
    tenant: 'row',
    merge: { stays: 'the rows are counted again where they are moved to' },
    purge: 'goes',
    export: { leftOut: 'the sum of the sizes in the other lists' },
  },
})
