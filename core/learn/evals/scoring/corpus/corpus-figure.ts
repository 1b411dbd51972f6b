import { hasSpread, standardDeviation } from '../../../../kernel/statistics/means.ts'
import { middleInterval } from '../../../../kernel/statistics/percentile-bootstrap.ts'
import type { Interval } from '../../../../kernel/statistics/wilson-interval.ts'
import type { CorpusMetric } from './corpus-metric.ts'
import { drawnSums, sumsOf } from './sums.ts'

/** Resamples of lm-evaluation-harness 0.4.13 for the error of these metrics, and their seed. */
const PEER_DRAWS = { resamples: 100, seed: 0 }
/** Resamples of the interval, and their seed. */
const DRAWS = { resamples: 1000, seed: 0 }

/** The figure of a metric over a corpus. */
export interface CorpusFigure {
  readonly value: number
  /** The deviation over the resamples of lm-evaluation-harness; null for fewer than two rows. */
  readonly stderr: number | null
  /** The error and the 95 % interval of the bootstrap; of rows in clusters whole clusters are drawn. Null without two of either, or without spread. */
  readonly spread: { readonly error: number; readonly interval: Interval } | null
}

/** Computes the figure of the counts of some rows. `clusters` names the cluster of each row; absent where rows are independent. */
export function corpusFigure(
  metric: CorpusMetric,
  rows: readonly (readonly number[])[],
  clusters?: readonly string[],
): CorpusFigure {
  const value = metric.score(sumsOf(rows))
  if (rows.length < 2) return { value, stderr: null, spread: null }
  const stderr = standardDeviation(drawnSums([rows], PEER_DRAWS).map(([sums]) => metric.score(sums ?? [])))
  const groups = clusters === undefined ? rows : clusterSums(rows, clusters)
  if (groups.length < 2) return { value, stderr, spread: null }
  const drawn = drawnSums([groups], DRAWS).map(([sums]) => metric.score(sums ?? []))
  const error = standardDeviation(drawn)
  return { value, stderr, spread: hasSpread(error) ? { error, interval: middleInterval(drawn) } : null }
}

/** The sums of the rows of each cluster. */
export function clusterSums(
  rows: readonly (readonly number[])[],
  clusters: readonly string[],
): readonly (readonly number[])[] {
  const places = Map.groupBy(rows.keys(), (place) => clusters[place] ?? '')
  return [...places.values()].map((those) => Array.from(sumsOf(those.map((place) => rows[place] ?? []))))
}
