import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bigCount } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/**
 * All units that a tenant ever used, by meter, written with the usage by day. They outlive its days, so that a scraper's
 * counter never falls, and no reader adds up every day since the beginning.
 */
export const UnitTotalsEntity = defineTable({
  name: 'UnitTotals',
  tableName: 'unit_totals',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    unit: p.text().primary(),
    quantity: bigCount(),
  },
  facts: {
    tenant: 'row',
    merge: { stays: 'counters of the workspace’s own usage; those of the other tenant do not jump' },
    purge: { stays: 'numbers alone; without them the counters of the service would fall' },
    export: { leftOut: 'sums of `usage`' },
  },
})
