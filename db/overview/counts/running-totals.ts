import { defineEntity, p } from '@mikro-orm/core'
import { bigCount } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/**
 * All calls that a tenant ever made, written with the statistics by hour. It outlives what it was counted from, so what a
 * scraper reads never falls, and nobody adds up every hour since the beginning.
 */
export const CallTotalsEntity = defineEntity({
  name: 'CallTotals',
  tableName: 'call_totals',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    calls: bigCount(),
    cacheHits: bigCount(),
    failures: bigCount(),
    /** Over the calls that were no cache hits, microseconds. */
    latencySumUs: bigCount(),
    /** Calls that were no cache hits, by bound, see `countsByBound`. */
    buckets: p.array(Number).columnType('bigint[]'),
  },
})

/** All that a tenant ever used, by meter, written with the use by day. */
export const UnitTotalsEntity = defineEntity({
  name: 'UnitTotals',
  tableName: 'unit_totals',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    unit: p.text().primary(),
    quantity: bigCount(),
  },
})
