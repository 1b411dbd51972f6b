/** Where a bucket of times ends, by where it begins: a percentile is right within 5 %. */
const WIDTH = 1.1
/** Natural logarithm of the width: `floor(ln(µs) / LN_WIDTH)` is the bucket of a time of 1 µs and more. */
export const LN_WIDTH = Math.log(WIDTH)

/** Times of one bucket. */
export interface BucketCount {
  readonly bucket: number
  readonly calls: number
}

/**
 * Returns a percentile of times in milliseconds, by the nearest rank: the middle of the bucket that the rank falls into,
 * geometric. Null without times.
 */
export function percentileMs(counts: readonly BucketCount[], share: number): number | null {
  const ordered = counts.toSorted((a, b) => a.bucket - b.bucket)
  const calls = ordered.reduce((sum, count) => sum + count.calls, 0)
  const rank = Math.max(1, Math.ceil(share * calls))
  let seen = 0
  for (const count of ordered) {
    seen += count.calls
    if (seen >= rank) return Math.round(WIDTH ** (count.bucket + 0.5)) / 1000
  }
  return null
}
