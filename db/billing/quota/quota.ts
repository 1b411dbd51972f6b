import { defineEntity, p } from '@mikro-orm/core'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** What a tenant has taken from its quota in one calendar month (UTC), units reserved and leased ones among them. */
export const QuotaPeriodEntity = defineEntity({
  name: 'QuotaPeriod',
  tableName: 'quota_periods',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    /** `YYYY-MM`. */
    period: p.text().primary(),
    usedUnits: bigCount(),
    /** The largest share of the quota, in percent, that the tenant was told of by mail. */
    noticePercent: p.integer().default(0),
  },
  indexes: [{ properties: ['period'] }],
})

/** A block of units that one process may spend without asking again. */
export const QuotaLeaseEntity = defineEntity({
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
})
