import { sql } from 'kysely'

/** Adds the value to be inserted to the stored one. */
function added(table: 'invocation_stats' | 'call_totals', column: string) {
  return sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`
}

/** Merges counts into an existing row: sums, and the buckets of both added index by index. */
export function addToStored(table: 'invocation_stats' | 'call_totals') {
  return {
    calls: added(table, 'calls'),
    cache_hits: added(table, 'cache_hits'),
    failures: added(table, 'failures'),
    latency_sum_us: added(table, 'latency_sum_us'),
    buckets: sql<number[]>`(
      select array_agg(coalesce(old, 0) + coalesce(new, 0) order by place)
      from unnest(${sql.ref(`${table}.buckets`)}, excluded.buckets) with ordinality as b(old, new, place)
    )`,
  }
}

/** Merges calls into an existing row of the hour. */
export const ADD_TO_HOUR = {
  ...addToStored('invocation_stats'),
  prompt_tokens: added('invocation_stats', 'prompt_tokens'),
  new_tokens: added('invocation_stats', 'new_tokens'),
  generation_us: added('invocation_stats', 'generation_us'),
  last_at: sql<Date>`greatest(invocation_stats.last_at, excluded.last_at)`,
}
