import { clusteredError, mean, meanInterval, hasSpread } from './means.ts'
import { wilsonInterval, type Interval } from './wilson-interval.ts'

/** An interval of a share, and how it was made. */
export interface ShareInterval extends Interval {
  readonly method: 'wilson' | 'clustered'
}

/**
 * Returns the 95 % interval of a share of rows that are right (1) or wrong (0): Wilson's; clustered where rows come in clusters,
 * cut to 0 to 1. Where the clustered error is 0, as when all rows are right, it is Wilson's over the effective rows, as Korn and
 * Graubard (Survey Methodology 24, 1998) and Franco and others (JSSAM 7, 2019) advise for shares of clustered samples.
 */
export function shareInterval(values: readonly number[], clusters?: readonly string[]): ShareInterval {
  const isClustered = clusters !== undefined && new Set(clusters).size < values.length
  const error = isClustered ? clusteredError(values, clusters) : 0
  if (hasSpread(error)) {
    const { low, high } = meanInterval(mean(values), error)
    return { low: Math.max(0, low), high: Math.min(1, high), method: 'clustered' }
  }
  const rows = isClustered ? effectiveRows(clusters) : values.length
  return { ...wilsonInterval(mean(values) * rows, rows), method: 'wilson' }
}

/**
 * Returns the number of independent rows that rows in clusters are worth when all rows of a cluster score alike (Kish, Survey
 * Sampling, 1965): the number of clusters where they have the same size, fewer where they differ.
 */
export function effectiveRows(clusters: readonly string[]): number {
  const sizes = new Map<string, number>()
  for (const cluster of clusters) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1)
  let squares = 0
  for (const size of sizes.values()) squares += size * size
  return squares === 0 ? 0 : clusters.length ** 2 / squares
}
