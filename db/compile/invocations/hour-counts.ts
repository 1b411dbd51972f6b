import { countsByBound } from './histogram.ts'

/** The calls of one version within one hour, counted in memory. */
export interface HourCounts {
  readonly tenantId: string
  readonly conceptId: string
  readonly versionId: string
  readonly hour: Date
  calls: number
  cacheHits: number
  failures: number
  latencySumUs: number
  readonly buckets: number[]
  promptTokens: number
  newTokens: number
  generationUs: number
  lastAt: Date
}

/** Adds older counts of the same version and hour. */
export function mergeHours(into: HourCounts, older: HourCounts): void {
  into.calls += older.calls
  into.cacheHits += older.cacheHits
  into.failures += older.failures
  into.latencySumUs += older.latencySumUs
  into.promptTokens += older.promptTokens
  into.newTokens += older.newTokens
  into.generationUs += older.generationUs
  for (const [bucket, count] of older.buckets.entries()) into.buckets[bucket] = (into.buckets[bucket] ?? 0) + count
}

/** The calls of one tenant. */
export interface TenantCounts {
  readonly tenantId: string
  calls: number
  cacheHits: number
  failures: number
  latencySumUs: number
  readonly buckets: number[]
}

/** Returns the same calls by tenant. */
export function totalsOf(hours: readonly HourCounts[]): readonly TenantCounts[] {
  const totals = new Map<string, TenantCounts>()
  for (const { tenantId, calls, cacheHits, failures, latencySumUs, buckets } of hours) {
    const counts = countsByBound(buckets)
    const total = totals.get(tenantId)
    if (total === undefined) {
      totals.set(tenantId, { tenantId, calls, cacheHits, failures, latencySumUs, buckets: counts })
      continue
    }
    total.calls += calls
    total.cacheHits += cacheHits
    total.failures += failures
    total.latencySumUs += latencySumUs
    for (const [place, count] of counts.entries()) total.buckets[place] = (total.buckets[place] ?? 0) + count
  }
  return [...totals.values()]
}
