import { sql } from 'kysely'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'

/** All calls ever made, of one tenant or of all. */
export interface CallTotals {
  readonly calls: number
  readonly cacheHits: number
  readonly failures: number
  /** Over the calls that were not cache hits, microseconds. */
  readonly latencySumUs: number
  /** Calls that were not cache hits, by bound, see `countsByBound`; empty without calls. */
  readonly byBound: readonly number[]
}

const WHY = 'counters of one tenant or of all, for metrics'

/** Returns the totals of calls since the beginning; of all tenants for null. They only grow. */
export async function callTotals(db: Database, tenantId: string | null): Promise<CallTotals> {
  const [row] = await service.read(db, WHY, (q) =>
    q
      .with('own', (each) =>
        each
          .selectFrom('call_totals')
          .selectAll()
          .$if(tenantId !== null, (some) => some.where('tenant_id', '=', tenantId)),
      )
      .selectFrom('own')
      .select([
        sql<number>`coalesce(sum(calls), 0)::bigint`.as('calls'),
        sql<number>`coalesce(sum(cache_hits), 0)::bigint`.as('cacheHits'),
        sql<number>`coalesce(sum(failures), 0)::bigint`.as('failures'),
        sql<number>`coalesce(sum(latency_sum_us), 0)::bigint`.as('latencySumUs'),
        sql<readonly number[]>`coalesce((
          select array_agg(each.total order by each.place) from (
            select place, sum(bucket)::float8 as total
            from own, unnest(own.buckets) with ordinality as b(bucket, place) group by place
          ) each
        ), '{}')`.as('byBound'),
      ]),
  )
  return row ?? { calls: 0, cacheHits: 0, failures: 0, latencySumUs: 0, byBound: [] }
}

/** Returns the units ever used, by meter; of all tenants for null. They only grow. */
export async function unitTotals(db: Database, tenantId: string | null): Promise<ReadonlyMap<string, number>> {
  const rows = await service.read(db, WHY, (q) =>
    q
      .selectFrom('unit_totals')
      .select(['unit', sql<number>`sum(quantity)::bigint`.as('total')])
      .$if(tenantId !== null, (some) => some.where('tenant_id', '=', tenantId))
      .groupBy('unit')
      .orderBy('unit'),
  )
  return new Map(rows.map(({ unit, total }) => [unit, total]))
}
