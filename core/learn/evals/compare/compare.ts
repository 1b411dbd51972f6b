import { adjustForAny, adjustForDiscoveries } from '../../../kernel/statistics/adjust.ts'
import { bcaInterval } from '../../../kernel/statistics/bca-bootstrap.ts'
import { mcnemar } from '../../../kernel/statistics/mcnemar.ts'
import { clusteredError, hasSpread, mean, smallestEffect, standardError } from '../../../kernel/statistics/means.ts'
import { normalQuantile } from '../../../kernel/statistics/normal.ts'
import { pairedInterval, type PairedCounts } from '../../../kernel/statistics/paired-interval.ts'
import { effectiveRows } from '../../../kernel/statistics/share-interval.ts'
import type { Interval } from '../../../kernel/statistics/wilson-interval.ts'
import type { RowPair } from './pair-rows.ts'

/** Ways to adjust p-values of several slices: for the share of false discoveries, or for any one. */
export const CORRECTIONS = ['bh', 'holm'] as const

/** Settings of a comparison. */
export interface CompareOptions {
  readonly correction: (typeof CORRECTIONS)[number]
  readonly resamples: number
  readonly seed: number
}

/** The second evaluation against the first on some rows. */
export interface Comparison {
  /** Null for all tasks. */
  readonly task: string | null
  /** Null for all slices. */
  readonly slice: string | null
  readonly n: number
  readonly accuracy: readonly [number, number]
  /** Second less first. */
  readonly difference: number
  /** 95 % interval of the difference: by the bootstrap of paired rows; by Tango's score where all rows differ alike. */
  readonly interval: Interval
  /** Rows that only the second has right, and rows that only the first has right. */
  readonly won: number
  readonly lost: number
  /** Of McNemar's exact test. */
  readonly pValue: number
  /** Adjusted over all tasks and slices of the comparison; of all rows together the p-value itself. */
  readonly adjusted: number
  /** Null where all rows differ alike: their variance is unknown. */
  readonly smallestEffect: number | null
}

/** Tasks and slices that are compared: those with the most rows. */
const MOST_PARTS = 50

/** Compares two evaluations row by row: all rows, then each task where there are several, then each slice. */
export function compareRows(pairs: readonly RowPair[], options: CompareOptions): readonly Comparison[] {
  const tasks = Map.groupBy(pairs, ({ task }) => task)
  const parts = [...tasks].flatMap(([task, rows]) => {
    const slices = [...Map.groupBy(rows, ({ slice }) => slice)].filter(([slice]) => slice !== null)
    return [
      ...(tasks.size > 1 ? [{ task, slice: null, rows }] : []),
      ...slices.map(([slice, some]) => ({ task, slice, rows: some })),
    ]
  })
  const largest = parts.toSorted((one, other) => other.rows.length - one.rows.length).slice(0, MOST_PARTS)
  const compared = largest.map(({ rows, ...name }) => compareSome(rows, name, options))
  const adjust = options.correction === 'bh' ? adjustForDiscoveries : adjustForAny
  const adjusted = adjust(compared.map(({ pValue }) => pValue))
  return [
    compareSome(pairs, { task: null, slice: null }, options),
    ...compared.map((each, place) => ({ ...each, adjusted: adjusted[place] ?? 1 })),
  ]
}

function compareSome(
  pairs: readonly RowPair[],
  name: Pick<Comparison, 'task' | 'slice'>,
  { resamples, seed }: CompareOptions,
): Comparison {
  const differences = pairs.map(({ first, second }) => Number(second.isRight) - Number(first.isRight))
  const clusters = pairs.map(({ cluster }) => cluster).filter((each) => each !== null)
  const isClustered = clusters.length === pairs.length
  const won = differences.filter((each) => each === 1).length
  const lost = differences.filter((each) => each === -1).length
  const error = isClustered ? clusteredError(differences, clusters) : standardError(differences)
  const pValue = mcnemar({ lost, won })
  return {
    ...name,
    n: pairs.length,
    accuracy: [
      mean(pairs.map(({ first }) => Number(first.isRight))),
      mean(pairs.map(({ second }) => Number(second.isRight))),
    ],
    difference: mean(differences),
    interval: hasSpread(error)
      ? bcaInterval(differences, { resamples, seed, clusters: isClustered ? clusters : undefined })
      : scoreInterval({ won, lost, n: pairs.length }, isClustered ? effectiveRows(clusters) : pairs.length),
    won,
    lost,
    pValue,
    adjusted: pValue,
    smallestEffect: smallestEffect(error),
  }
}

/** Tango's interval over the effective rows. Resamples of rows that all differ alike are all the same and have no width. */
function scoreInterval({ won, lost, n }: PairedCounts, rows: number): Interval {
  const share = n === 0 ? 0 : rows / n
  return pairedInterval({ won: won * share, lost: lost * share, n: rows }, normalQuantile(0.975))
}
