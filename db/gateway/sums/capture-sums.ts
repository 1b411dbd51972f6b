import { p } from '@mikro-orm/core'
import { bigCount, real } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'

/** Days that sums are kept: more than the longest window that is asked for. */
const KEPT_DAYS = 40

const SWEPT = [
  {
    name: 'capture-sums',
    summary: 'Remove sums of calls by day',
    by: { before: "day <= to_char($1::timestamptz at time zone 'UTC', 'YYYY-MM-DD')" },
    keptDays: KEPT_DAYS,
  },
] as const

const RECOUNTED = 'captures of a merged workspace are counted again for the tenant that they move to'

/**
 * Sums over the captured calls of a day (UTC), by namespace, provider and route. A chore counts the captures up to
 * `capture_heads.counted`; reads add those behind it. No foreign keys, as in the tables of captures.
 */
export const CaptureDayEntity = defineTable({
  name: 'CaptureDay',
  tableName: 'capture_days',
  properties: {
    tenantId: p.text().primary(),
    /** `YYYY-MM-DD`. */
    day: p.text().primary(),
    namespace: p.text().primary(),
    /** Empty for a call that asked none: part of the key, which has no nulls. */
    provider: p.text().primary(),
    /** Whether an own artifact or a server of the operator's was to answer. */
    isLocal: p.boolean().primary(),
    /** Why the target before was left; empty when the first one answered. */
    reason: p.text().primary(),
    calls: bigCount(),
    /** Of these, the calls that got no answer, and those whose answer was cut off. */
    failed: bigCount(),
    interrupted: bigCount(),
    costMicros: bigCount(),
    /** Answered calls without a known cost. */
    unpriced: bigCount(),
    /** The savings of locally answered calls (their cost at a provider less their own), and the number of calls without such a figure. */
    savedMicros: bigCount(),
    savedUnknown: bigCount(),
    /** Calls that the cache answered, and likewise what they saved. */
    hits: bigCount(),
    hitSavedMicros: bigCount(),
    hitUnknown: bigCount(),
    confidenceSum: real(),
    /** Calls with a confidence. */
    confident: bigCount(),
  },
  indexes: [{ name: 'capture_days_swept', properties: ['day'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: { stays: RECOUNTED },
    purge: 'goes',
    export: { leftOut: 'sums over `captures`' },
    sweeps: SWEPT,
  },
})

/** Counts of a figure of a day's calls by bucket: latencies, times to the first content, failed attempts. */
export const CaptureMeasureEntity = defineTable({
  name: 'CaptureMeasure',
  tableName: 'capture_measures',
  properties: {
    tenantId: p.text().primary(),
    day: p.text().primary(),
    namespace: p.text().primary(),
    provider: p.text().primary(),
    measure: p.enum(['latency', 'first_content', 'failed_attempt'] as const).primary(),
    /** `bucketOf` the microseconds; 0 for a failed attempt. */
    bucket: p.integer().primary(),
    calls: bigCount(),
  },
  indexes: [{ name: 'capture_measures_swept', properties: ['day'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: { stays: RECOUNTED },
    purge: 'goes',
    export: { leftOut: 'counts over `captures`' },
    sweeps: SWEPT,
  },
})
