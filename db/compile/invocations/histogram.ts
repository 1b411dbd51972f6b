/**
 * Latencies by bucket on a logarithmic scale: bucket i holds those from 2^(i/8) up to 2^((i+1)/8) microseconds, so a
 * percentile is off by at most 4.5 %. 192 buckets reach to 16 s; the last one holds all beyond.
 */
export const BUCKETS = 192
const PER_DOUBLING = 8

/** Returns the bucket of a latency. */
export function bucketOf(latencyUs: number): number {
  if (!(latencyUs > 1)) return 0
  return Math.min(Math.floor(Math.log2(latencyUs) * PER_DOUBLING), BUCKETS - 1)
}

/** Returns the end of a bucket, microseconds; the last one has none. */
function bucketLimitUs(bucket: number): number {
  return bucket === BUCKETS - 1 ? Number.POSITIVE_INFINITY : 2 ** ((bucket + 1) / PER_DOUBLING)
}

/** Seconds; the bounds that inference dashboards expect. */
export const BOUNDS_S: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Returns calls by bound: each entry counts those up to its bound and beyond the previous one, the last entry those
 * beyond all. A bucket that a bound cuts through counts as above it: quantiles err on the slow side.
 */
export function countsByBound(buckets: readonly number[]): number[] {
  const counts = Array.from({ length: BOUNDS_S.length + 1 }, () => 0)
  for (const [bucket, calls] of buckets.entries()) {
    if (calls === 0) continue
    const place = BOUNDS_S.findIndex((bound) => bucketLimitUs(bucket) <= bound * 1e6)
    const at = place < 0 ? BOUNDS_S.length : place
    counts[at] = (counts[at] ?? 0) + calls
  }
  return counts
}

/** Returns the middle of a bucket on its scale, microseconds. */
function middleOf(bucket: number): number {
  return 2 ** ((bucket + 0.5) / PER_DOUBLING)
}

/**
 * Returns the latency of the entry with index floor(n * p), capped to the last, in microseconds; null without entries.
 * Reference: compile.md 4, `GET /v1/concepts/{id}/stats`.
 */
export function percentile(buckets: readonly number[], p: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const index = Math.min(Math.floor(total * p), total - 1)
  let seen = 0
  for (const [bucket, count] of buckets.entries()) {
    seen += count
    if (seen > index) return Math.round(middleOf(bucket))
  }
  return null
}
