/** The buckets of the row that is there and of the one that was to be inserted, added place by place. */
export function addedBuckets(table: string): string {
  return `(
    select array_agg(coalesce(old, 0) + coalesce(new, 0) order by place)
    from unnest(${table}.buckets, excluded.buckets) with ordinality as b(old, new, place)
  )`
}

/** What becomes of calls of an hour that is there already: ends an insert into `invocation_stats as s`. */
export const ADD_TO_HOUR = `on conflict (version_id, hour) do update set
  calls = s.calls + excluded.calls,
  cache_hits = s.cache_hits + excluded.cache_hits,
  failures = s.failures + excluded.failures,
  latency_sum_us = s.latency_sum_us + excluded.latency_sum_us,
  prompt_tokens = s.prompt_tokens + excluded.prompt_tokens,
  new_tokens = s.new_tokens + excluded.new_tokens,
  generation_us = s.generation_us + excluded.generation_us,
  last_at = greatest(s.last_at, excluded.last_at),
  buckets = ${addedBuckets('s')}`
