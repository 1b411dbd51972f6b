/**
 * Latencies by bucket on a logarithmic scale: bucket i holds those from 2^(i/8) up to 2^((i+1)/8) microseconds, so a
 * percentile is off by at most 4.5 %. 192 buckets reach to 16 s; the last one holds all beyond.
 */
export const BUCKETS = 192
const PER_DOUBLING = 8

/** The bucket of a latency. */
export function bucketOf(latencyUs: number): number {
  if (!(latencyUs > 1)) return 0
  return Math.min(Math.floor(Math.log2(latencyUs) * PER_DOUBLING), BUCKETS - 1)
}

/** Where a bucket ends, microseconds; the last one has no end. */
export function bucketLimitUs(bucket: number): number {
  return bucket === BUCKETS - 1 ? Number.POSITIVE_INFINITY : 2 ** ((bucket + 1) / PER_DOUBLING)
}

/** The middle of a bucket on its scale, microseconds. */
function middleOf(bucket: number): number {
  return 2 ** ((bucket + 0.5) / PER_DOUBLING)
}

/**
 * The latency of the entry with index floor(n * p), capped to the last, in microseconds; null without entries.
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
