import { sql } from 'kysely'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { sweepInBatches } from '../../kernel/tables/sweep-in-batches.ts'
import { ADD_TO_HOUR } from '../invocations/add-to-hour.ts'

/** Sums of a day, by the name of their column. */
const SUMMED = [
  'calls',
  'cache_hits',
  'failures',
  'latency_sum_us',
  'prompt_tokens',
  'new_tokens',
  'generation_us',
] as const

/**
 * Folds the hours of each version and day (UTC) before a time into the row of the day's first hour: all-time figures
 * then need few rows. Returns how many rows it removed. A day may be folded in parts.
 */
export async function foldHours(db: Database, input: { readonly before: Date }, signal: AbortSignal): Promise<number> {
  return await sweepInBatches(
    signal,
    async (most) =>
      await service.send(db, 'folds the hours of all tenants', (q) => {
        const isLater = sql<boolean>`extract(hour from hour at time zone 'UTC') <> 0`
        return q
          .with('hours', (of) =>
            of
              .deleteFrom('invocation_stats')
              .where((of) =>
                of(
                  of.refTuple('version_id', 'hour'),
                  'in',
                  of
                    .selectFrom('invocation_stats')
                    .select(['version_id', 'hour'])
                    .where('hour', '<', input.before)
                    .where(isLater)
                    .orderBy('hour')
                    .limit(most)
                    .$asTuple('version_id', 'hour'),
                ),
              )
              .returningAll()
              .returning(sql<Date>`date_trunc('day', hour, 'UTC')`.as('day')),
          )
          .with('histograms', (of) =>
            of
              .selectFrom(
                sql<{ version_id: string; day: Date; place: number; calls: number }>`(
                select version_id, day, place, sum(bucket)::integer as calls
                from hours, unnest(hours.buckets) with ordinality as b(bucket, place) group by 1, 2, 3
              )`.as('places'),
              )
              .select(['version_id', 'day', sql<number[]>`array_agg(calls order by place)`.as('buckets')])
              .groupBy(['version_id', 'day']),
          )
          .with('sums', (of) =>
            of
              .selectFrom('hours')
              .select(['version_id', 'day', (e) => e.fn.max('last_at').as('last_at')])
              .select((e) => [e.fn.min('tenant_id').as('tenant_id'), e.fn.min('concept_id').as('concept_id')])
              .select((e) => SUMMED.map((column) => e.fn.sum<number>(column).as(column)))
              .groupBy(['version_id', 'day']),
          )
          .with('days', (of) =>
            of
              .insertInto('invocation_stats')
              .columns(['version_id', 'hour', 'tenant_id', 'concept_id', ...SUMMED, 'last_at', 'buckets'])
              .expression((from) =>
                from
                  .selectFrom('sums as s')
                  .innerJoin('histograms as h', (on) =>
                    on.onRef('h.version_id', '=', 's.version_id').onRef('h.day', '=', 's.day'),
                  )
                  .select(['s.version_id', 's.day', 's.tenant_id', 's.concept_id', ...SUMMED, 's.last_at', 'h.buckets'])
                  .orderBy('s.version_id')
                  .orderBy('s.day'),
              )
              .onConflict((on) => on.columns(['version_id', 'hour']).doUpdateSet(ADD_TO_HOUR)),
          )
          .selectFrom('hours')
          .select('version_id')
      }),
  )
}
