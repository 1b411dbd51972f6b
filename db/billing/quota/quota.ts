import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A tenant's use of its quota in one calendar month (UTC), including reserved and leased units. */
export const QuotaPeriodEntity = defineTable({
  name: 'QuotaPeriod',
  tableName: 'quota_periods',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    /** `YYYY-MM`. */
    period: p.text().primary(),
    usedUnits: bigCount(),
    /** The largest share of the quota, in percent, about which the tenant was mailed. */
    noticePercent: p.integer().default(0),
  },
  indexes: [{ properties: ['period'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'the workspace had its own quota, and the other tenant pays nothing for it' },
    purge: 'goes',
    export: {
      section: 'quota',
      key: ['period'],
      columns: {
        tenantId: 'the document is of one tenant',
        period: true,
        usedUnits: true,
        noticePercent: true,
      },
    },
    sweeps: { none: 'twelve rows a year' },
  },
})

/** A block of units that one process may charge without asking again. */
export const QuotaLeaseEntity = defineTable({
  name: 'QuotaLease',
  tableName: 'quota_leases',
  properties: {
    id: p.uuid().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    period: p.text(),
    grantedUnits: bigCount(),
    spentUnits: bigCount(),
    touchedAt: instant(),
  },
  indexes: [{ properties: ['tenantId', 'period'] }, { properties: ['touchedAt'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'parts of that quota' },
    purge: 'goes',
    export: { leftOut: 'units that a process currently holds' },
    sweeps: [
      {
        name: 'leases',
        summary: 'Reclaim quota leases of dead processes',
        by: { special: 'gives the uncharged units back' },
      },
    ],
  },
})
