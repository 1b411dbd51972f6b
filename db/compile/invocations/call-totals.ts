import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bigCount } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/**
 * All calls that a tenant ever made, written with the statistics by hour. It outlives its sources, so that a scraper's
 * counter never falls, and no reader adds up every hour since the beginning.
 */
export const CallTotalsEntity = defineTable({
  name: 'CallTotals',
  tableName: 'call_totals',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    calls: bigCount(),
    cacheHits: bigCount(),
    failures: bigCount(),
    /** Over the calls that were not cache hits, microseconds. */
    latencySumUs: bigCount(),
    /** Calls that were not cache hits, by bound, see `countsByBound`. */
    buckets: p.array(Number).columnType('bigint[]'),
  },
  facts: {
    tenant: 'row',
    merge: { stays: 'counters of the workspace’s own calls; those of the other tenant do not jump' },
    purge: { stays: 'numbers alone; without them the counters of the service would fall' },
    export: { leftOut: 'sums of `invocations`' },
  },
})
