import { sql, type RawBuilder } from 'kysely'
import { LN_WIDTH } from '../../../core/gateway/record/dashboard/time-buckets.ts'
import type { Reads } from '../../kernel/queries/typed.ts'

/** The captures of calls; those that came in otherwise, such as logs, are none. */
const IS_CALL = sql<boolean>`c.source = 'gateway'`
const DAY = sql<string>`to_char(c.at at time zone 'UTC', 'YYYY-MM-DD')`
const PROVIDER = sql<string>`coalesce(c.provider, '')`
const IS_LOCAL = sql<boolean>`coalesce(r.decision = 'local', false)`
const REASON = sql<string>`coalesce(r."fallbackReason", '')`
const IS_HIT = sql<boolean>`r.cache = 'hit'`
const IS_ANSWERED = sql<boolean>`c.outcome <> 'failed'`
/** The saving of a call: its cost at the provider that it was meant for, less its own cost. */
const SAVED = sql<number>`(r."frontierCostMicros" - c.cost_micros)`

/** The members of a capture's route, parsed once a row. */
const ROUTE = sql`json_to_record(coalesce(c.route, '{}')) as r(decision text, "fallbackReason" text, cache text, confidence double precision, "frontierCostMicros" bigint)`

const countOf = (condition: RawBuilder<boolean>) => sql<number>`count(*) filter (where ${condition})`
const sumOf = (value: RawBuilder<number>, condition: RawBuilder<boolean>) =>
  sql<number>`coalesce(sum(${value}) filter (where ${condition}), 0)::bigint`
const and = (...conditions: readonly RawBuilder<unknown>[]) => sql<boolean>`(${sql.join(conditions, sql` and `)})`
const not = (condition: RawBuilder<boolean>) => sql<boolean>`not coalesce(${condition}, false)`

/** The columns of `capture_days` behind its key, in order. */
export const DAY_SUMS = [
  sql<number>`count(*)`.as('calls'),
  countOf(sql`c.outcome = 'failed'`).as('failed'),
  countOf(sql`c.outcome = 'interrupted'`).as('interrupted'),
  sumOf(sql<number>`c.cost_micros`, IS_ANSWERED).as('cost_micros'),
  countOf(sql<boolean>`c.cost_micros is null`).as('unpriced'),
  sumOf(SAVED, and(IS_ANSWERED, IS_LOCAL, not(IS_HIT))).as('saved_micros'),
  countOf(and(IS_ANSWERED, IS_LOCAL, not(IS_HIT), sql`${SAVED} is null`)).as('saved_unknown'),
  countOf(and(IS_ANSWERED, IS_HIT)).as('hits'),
  sumOf(SAVED, and(IS_ANSWERED, IS_HIT)).as('hit_saved_micros'),
  countOf(and(IS_ANSWERED, IS_HIT, sql`${SAVED} is null`)).as('hit_unknown'),
  sql<number>`coalesce(sum(r.confidence), 0)::double precision`.as('confidence_sum'),
  sql<number>`count(r.confidence)`.as('confident'),
] as const

/** Sums the captured calls that a condition on the rows `c` of `captures` selects, by the key of `capture_days`. */
export function sumDays(q: Reads, condition: RawBuilder<boolean>) {
  return q
    .selectFrom('captures as c')
    .innerJoin(sql<object>`lateral (select * from ${ROUTE})`.as('r'), (join) => join.onTrue())
    .select([
      'c.tenant_id',
      DAY.as('day'),
      'c.namespace',
      PROVIDER.as('provider'),
      IS_LOCAL.as('is_local'),
      REASON.as('reason'),
    ])
    .select(DAY_SUMS)
    .where(and(condition, IS_CALL))
    .groupBy([sql`1`, sql`2`, sql`3`, sql`4`, sql`5`, sql`6`])
}

const bucketOf = (us: RawBuilder<number>) =>
  sql<number>`floor(ln(greatest(${us}, 1)::double precision) / ${sql.lit(LN_WIDTH)}::double precision)::integer`

/** Failures of targets that were not asked, or whose answer was not used. */
const PASSED_OVER = sql`('circuit_open', 'over_limit', 'low_confidence', 'class_mismatch', 'no_concept', 'unsupported_request', 'artifact_unavailable')`

/**
 * Counts, likewise, in which bucket the times of calls fall: latencies of whole answers and times to the first content of
 * streams, without answers of the cache; and the attempts that a provider failed.
 */
export function countMeasures(q: Reads, condition: RawBuilder<boolean>) {
  const isCached = sql<boolean>`coalesce(c.route ->> 'cache' = 'hit', false)`
  const measures = sql<{
    provider: string
    measure: 'latency' | 'first_content' | 'failed_attempt'
    bucket: number
  }>`lateral (
    select ${PROVIDER} as provider, 'latency' as measure, ${bucketOf(sql<number>`c.latency_us`)} as bucket
      where c.outcome = 'whole' and c.latency_us is not null and not ${isCached}
    union all select ${PROVIDER}, 'first_content', ${bucketOf(sql<number>`c.first_content_us`)}
      where c.is_streamed and c.first_content_us is not null and not ${isCached}
    union all select coalesce(a ->> 'provider', ''), 'failed_attempt', 0 from json_array_elements(c.attempts) as a
      where a ->> 'failure' is not null and a ->> 'failure' not in ${PASSED_OVER}
  )`
  return q
    .selectFrom('captures as c')
    .innerJoin(measures.as('m'), (join) => join.onTrue())
    .select(['c.tenant_id', DAY.as('day'), 'c.namespace', 'm.provider', 'm.measure', 'm.bucket'])
    .select(sql<number>`count(*)`.as('calls'))
    .where(and(condition, IS_CALL))
    .groupBy([sql`1`, sql`2`, sql`3`, sql`4`, sql`5`, sql`6`])
}
