import type { Database } from '../../kernel/database.ts'

/** Everything that was ever called, of one tenant or of all. */
export interface CallTotals {
  readonly calls: number
  readonly cacheHits: number
  readonly failures: number
  /** Over the calls that were no cache hits, microseconds. */
  readonly latencySumUs: number
  /** Calls that were no cache hits, by bound, see `countsByBound`; empty without calls. */
  readonly byBound: readonly number[]
}

/** Totals of calls since the beginning; of all tenants for null. They only grow. */
export async function callTotals(db: Database, tenantId: string | null): Promise<CallTotals> {
  const [row] = await db.query<CallTotals>(
    `with own as (select * from call_totals where $1::text is null or tenant_id = $1)
     select coalesce(sum(calls), 0)::bigint as calls, coalesce(sum(cache_hits), 0)::bigint as "cacheHits",
       coalesce(sum(failures), 0)::bigint as failures, coalesce(sum(latency_sum_us), 0)::bigint as "latencySumUs",
       coalesce((
         select array_agg(each.total order by each.place) from (
           select place, sum(bucket)::float8 as total
           from own, unnest(own.buckets) with ordinality as b(bucket, place) group by place
         ) each
       ), '{}') as "byBound"
     from own`,
    [tenantId],
  )
  return row ?? { calls: 0, cacheHits: 0, failures: 0, latencySumUs: 0, byBound: [] }
}

/** Units that were ever used, by meter; of all tenants for null. They only grow. */
export async function unitTotals(db: Database, tenantId: string | null): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ unit: string; total: number }>(
    `select unit, sum(quantity)::bigint as total from unit_totals where $1::text is null or tenant_id = $1
     group by unit order by unit`,
    [tenantId],
  )
  return new Map(rows.map(({ unit, total }) => [unit, total]))
}
