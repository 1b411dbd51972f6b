import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bigCount } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/**
 * Compute time that a tenant used on one day and that no unit pays for: of jobs that ended without an artifact, of
 * evaluations, bake-offs and gates of bases and adapters, and of measurements.
 */
export const UnpaidComputeEntity = defineTable({
  name: 'UnpaidCompute',
  tableName: 'unpaid_compute',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    /** `YYYY-MM-DD`, UTC. */
    day: p.text().primary(),
    /** Time in which they held a compute slot, milliseconds. */
    usedMs: bigCount(),
  },
  indexes: [{ properties: ['day'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'the workspace had its own allowance, which ends with it' },
    purge: 'goes',
    export: {
      section: 'unpaid_compute',
      key: ['day'],
      columns: {
        tenantId: 'the document is of one tenant',
        day: true,
        usedMs: true,
      },
    },
    sweeps: [
      {
        name: 'unpaidCompute',
        summary: 'Remove old days of unpaid compute',
        by: { before: `day < to_char($1::timestamptz at time zone 'UTC', 'YYYY-MM-DD')` },
        keptDays: 35,
      },
    ],
  },
})
