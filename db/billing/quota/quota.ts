import { defineEntity, p } from '@mikro-orm/core'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { CompileJobEntity } from '../../compile/jobs/compile-job.ts'
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

/** The units of one compile: taken when it is accepted, kept when it ends well, given back otherwise. */
export const QuotaReservationEntity = defineEntity({
  name: 'QuotaReservation',
  tableName: 'quota_reservations',
  properties: {
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    period: p.text(),
    units: bigCount(),
    /** What the compile is put down to in the usage by day: `default` and empty texts where nobody said. */
    namespace: p.text().default('default'),
    teamId: p.text().default(''),
    memberId: p.text().default(''),
    state: p.enum(['reserved', 'settled', 'released'] as const),
    createdAt: instant(),
  },
  indexes: [{ properties: ['tenantId', 'period'] }],
})
