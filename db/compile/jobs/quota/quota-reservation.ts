import { p } from '@mikro-orm/core'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import { bigCount, instant } from '../../../kernel/tables/columns.ts'
import { TenantEntity } from '../../../kernel/tenant/tenant.ts'
import { CompileJobEntity } from '../compile-job.ts'

/** The units of one compile: taken when it is accepted, kept on success, returned otherwise. */
export const QuotaReservationEntity = defineTable({
  name: 'QuotaReservation',
  tableName: 'quota_reservations',
  properties: {
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    period: p.text(),
    units: bigCount(),
    /** Dimensions of the compile in the usage by day: `default` and empty texts when the caller gave none. */
    namespace: p.text().default('default'),
    teamId: p.text().default(''),
    memberId: p.text().default(''),
    state: p.enum(['reserved', 'settled', 'released'] as const),
    createdAt: instant(),
  },
  indexes: [{ properties: ['tenantId', 'period'] }],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'units counted in the quota of the whole tenant' },
    merge: 'moves',
    purge: 'goes',
    export: { leftOut: 'units that running jobs hold; `quota` counts the charged ones' },
  },
})
