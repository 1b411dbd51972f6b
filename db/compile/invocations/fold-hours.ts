import type { Database } from '../../kernel/database.ts'
import { removeInBatches } from '../../kernel/tables/remove-in-batches.ts'
import { ADD_TO_HOUR } from './add-to-hour.ts'

/**
 * Adds up the hours of each version and day (UTC) that lie before a time, into the row of the day's first hour: figures of
 * all time are then made of few rows. Answers how many rows it saved the next reader. A day may be folded in parts.
 */
export async function foldHours(db: Database, input: { readonly before: Date }, signal: AbortSignal): Promise<number> {
  return await removeInBatches(
    signal,
    async (most) =>
      await db.query(
        `with hours as (
           delete from invocation_stats where (version_id, hour) in (
             select version_id, hour from invocation_stats
             where hour < $1 and extract(hour from hour at time zone 'UTC') <> 0 order by hour limit $2
           ) returning *, date_trunc('day', hour, 'UTC') as day
         ), histograms as (
           select version_id, day, array_agg(calls order by place) as buckets from (
             select version_id, day, place, sum(bucket)::integer as calls
             from hours, unnest(hours.buckets) with ordinality as b(bucket, place) group by 1, 2, 3
           ) places group by 1, 2
         ), sums as (
           select version_id, day, min(tenant_id) as tenant_id, min(concept_id) as concept_id, sum(calls) as calls,
             sum(cache_hits) as hits, sum(failures) as failures, sum(latency_sum_us) as latency,
             sum(prompt_tokens) as prompt, sum(new_tokens) as new, sum(generation_us) as generation,
             max(last_at) as last_at
           from hours group by 1, 2
         ), days as (
           insert into invocation_stats as s (version_id, hour, tenant_id, concept_id, calls, cache_hits, failures,
             latency_sum_us, buckets, prompt_tokens, new_tokens, generation_us, last_at)
           select version_id, day, tenant_id, concept_id, calls, hits, failures, latency, buckets, prompt, new,
             generation, last_at
           from sums join histograms using (version_id, day) order by version_id, day
           ${ADD_TO_HOUR}
         )
         select 1 from hours`,
        [input.before, most],
      ),
  )
}
