import type { MeterId } from '../../../core/billing/meters.ts'
import type { SqlRunner } from '../../kernel/database.ts'
import type { ChargedTo } from './charged-to.ts'

/** Some use of one day. */
export interface UsageRow extends ChargedTo {
  readonly tenantId: string
  /** `YYYY-MM-DD` (UTC). */
  readonly day: string
  readonly unit: MeterId
  readonly quantity: number
  readonly costUsdMicros: number
  readonly latencySumUs: number
}

/** The day that a point in time falls into. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/**
 * Adds use to what is stored by day and in all, one statement for both, in the order of the keys so that no two lock
 * crosswise. What a tenant used that is gone by now is dropped.
 */
export async function recordUsage(sql: SqlRunner, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `with given as (
       select r.* from json_to_recordset($1::json) as r("tenantId" text, day text, unit text, namespace text,
         "teamId" text, "memberId" text, quantity bigint, "costUsdMicros" bigint, "latencySumUs" bigint)
       join tenants t on t.id = r."tenantId" and t.purged_at is null
     ), by_day as (
       insert into usage_days as u
         (tenant_id, day, unit, namespace, team_id, member_id, quantity, cost_usd_micros, latency_sum_us)
       select "tenantId", day, unit, namespace, "teamId", "memberId", sum(quantity), sum("costUsdMicros"),
         sum("latencySumUs")
       from given group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
       on conflict (tenant_id, day, unit, namespace, team_id, member_id) do update set
         quantity = u.quantity + excluded.quantity,
         cost_usd_micros = u.cost_usd_micros + excluded.cost_usd_micros,
         latency_sum_us = u.latency_sum_us + excluded.latency_sum_us
     )
     insert into unit_totals as u (tenant_id, unit, quantity)
     select "tenantId", unit, sum(quantity) from given group by 1, 2 order by 1, 2
     on conflict (tenant_id, unit) do update set quantity = u.quantity + excluded.quantity`,
    [JSON.stringify(rows)],
  )
}
