import { p } from '@mikro-orm/core'
import { defineTable } from '../tables/define-table.ts'
import { bigCount, instant } from '../tables/columns.ts'
import { TenantEntity } from '../tenant/tenant.ts'

/**
 * Bytes that a tenant stores: its blobs, the contents of its captures in rows, its uploads under way, and room that is held for
 * calls. Often more than these, since a recount of the rows alone lowers it, see `count-held.ts`. It lacks the bytes of commits
 * that found it locked until their process adds them.
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
