import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bigCount } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** Usage of one day (UTC), by unit, namespace, team and member. */
export const UsageDayEntity = defineTable({
  name: 'UsageDay',
  tableName: 'usage_days',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    /** `YYYY-MM-DD`. */
    day: p.text().primary(),
    unit: p.text().primary(),
    namespace: p.text().primary(),
    /** Empty without a team: part of the key, which has no nulls. The row outlives the team. */
    teamId: p.text().primary(),
    /** Empty without a member. */
    memberId: p.text().primary(),
    quantity: bigCount(),
    costUsdMicros: bigCount(),
    latencySumUs: bigCount(),
  },
  indexes: [{ properties: ['tenantId', 'teamId', 'day'] }],
  facts: {
    tenant: 'row',
    namespace: { unbound: 'usage counted in the invoice of the whole tenant; reports restrict themselves' },
    merge: {
      moves: `with gone as (delete from usage_days where tenant_id = $1 returning *)
        insert into usage_days as u
          (tenant_id, day, unit, namespace, team_id, member_id, quantity, cost_usd_micros, latency_sum_us)
        select $2, day, unit, namespace, team_id, member_id, quantity, cost_usd_micros, latency_sum_us from gone
        on conflict (tenant_id, day, unit, namespace, team_id, member_id) do update set
          quantity = u.quantity + excluded.quantity, cost_usd_micros = u.cost_usd_micros + excluded.cost_usd_micros,
          latency_sum_us = u.latency_sum_us + excluded.latency_sum_us`,
    },
    purge: 'goes',
    export: {
      section: 'usage',
      key: ['day', 'unit', 'namespace', 'teamId', 'memberId'],
      columns: {
        tenantId: 'the document is of one tenant',
        day: true,
        unit: true,
        namespace: true,
        teamId: true,
        memberId: true,
        quantity: true,
        costUsdMicros: true,
        latencySumUs: true,
      },
    },
    sweeps: { none: 'the record behind bills and charges' },
  },
})
