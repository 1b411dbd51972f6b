import { adjustForAny, adjustForDiscoveries } from '../../../kernel/statistics/adjust.ts'
import { hasSpread, smallestEffect, standardDeviation } from '../../../kernel/statistics/means.ts'
import { middleInterval } from '../../../kernel/statistics/percentile-bootstrap.ts'
import { createPythonRandom } from '../../../kernel/statistics/python-random.ts'
import type { Interval } from '../../../kernel/statistics/wilson-interval.ts'
import { clusterSums } from '../scoring/corpus/corpus-figure.ts'
import { corpusMetric, isCorpusMetric } from '../scoring/corpus/corpus-metrics.ts'
import { drawnSums, sumsOf, type Counts } from '../scoring/corpus/sums.ts'
import type { CorpusMetricName } from '../scoring/metric-names.ts'
import { isCounts, type RowScore } from '../scoring/score-row.ts'
import { metricsOf } from '../scoring/task-metrics.ts'
import type { TaskSet } from '../task/read-tasks.ts'
import type { CompareOptions } from './compare.ts'
import type { PairedRow, RowPair } from './pair-rows.ts'

/** A row with what it counts for metrics of a corpus. */
export interface CountedRow extends PairedRow {
  readonly scores: readonly Pick<RowScore, 'filter' | 'metrics'>[]
}

/** A metric of a corpus in two evaluations, over the rows that both have. */
export interface CountsComparison {
  readonly task: string
  readonly filter: string
  readonly metric: CorpusMetricName
  /** Null for the whole task. */
  readonly slice: string | null
  readonly n: number
  readonly first: number
  readonly second: number
  /** Second less first. */
  readonly difference: number
  readonly isHigherBetter: boolean
  /** 95 % interval of the difference by the paired bootstrap (Koehn, EMNLP 2004); null where no resample differs from another. */
  readonly interval: Interval | null
  /** Of paired approximate randomization (Riezler and Maxwell, ACL workshop on evaluation 2005), two-sided. */
  readonly pValue: number
  /** Adjusted over all comparisons of such metrics. */
  readonly adjusted: number
  readonly smallestEffect: number | null
  /** Resamples, and randomizations. */
  readonly resamples: number
}

/** Tasks and slices that are compared: those with the most rows. */
const MOST_PARTS = 50
/** Steps that all comparisons take together, about ten seconds: with very many rows there are fewer resamples, and fewer slices. */
const MOST_STEPS = 6e8
/** Corpora that one resample and one randomization sum, and the steps that draw a row, beside one for each of its counts. */
const CORPORA = 3
const DRAW_STEPS = 4
const LEAST_RESAMPLES = 200
/** Resamples for each comparison: with fewer no p-value that is adjusted for all of them could be below 0.05. */
const RESAMPLES_EACH = 20

/** The counts of paired rows. */
interface Part extends Pick<CountsComparison, 'task' | 'filter' | 'metric' | 'slice' | 'isHigherBetter'> {
  readonly counts: readonly (readonly [readonly number[], readonly number[]])[]
  /** Names of clusters; undefined where rows are independent. */
  readonly clusters: readonly string[] | undefined
}

/**
 * Compares the metrics of a corpus of two evaluations, those of the most rows first: of tasks and slices as many as there are steps
 * for. `set` says which of two figures is better.
 */
export function compareCounts(
  set: TaskSet,
  pairs: readonly RowPair<CountedRow>[],
  options: CompareOptions,
): readonly CountsComparison[] {
  const parts = set.tasks.flatMap((task): readonly Part[] => {
    const rows = pairs.filter((pair) => pair.task === task.task)
    const slices = [...Map.groupBy(rows, ({ slice }) => slice)].filter(([slice]) => slice !== null)
    const filters = [...new Set(rows.flatMap(({ first }) => first.scores.map(({ filter }) => filter)))]
    return [[null, rows] as const, ...slices].flatMap(([slice, some]) =>
      metricsOf(task).flatMap(({ name, isHigherBetter }) => {
        if (!isCorpusMetric(name)) return []
        return filters.map((filter) => {
          const of = { task: task.task, filter, metric: name, slice, isHigherBetter }
          return { ...of, ...countsIn(some, name, filter) }
        })
      }),
    )
  })
  const largest = parts
    .filter(({ counts }) => counts.length > 0)
    .toSorted((one, other) => other.counts.length - one.counts.length)
    .slice(0, MOST_PARTS)
  const { affordable, resamples } = affordableOf(largest, options.resamples)
  const compared = affordable.map((part) => comparePart(part, { ...options, resamples }))
  const adjust = options.correction === 'bh' ? adjustForDiscoveries : adjustForAny
  const adjusted = adjust(compared.map(({ pValue }) => pValue))
  return compared.map((each, place) => ({ ...each, adjusted: adjusted[place] ?? 1 }))
}

/** The first parts that there are steps for, one at least, and the resamples of each. */
function affordableOf(parts: readonly Part[], wanted: number) {
  let steps = 0
  let count = 0
  for (const { counts } of parts) {
    const more = CORPORA * counts.length * (DRAW_STEPS + (counts[0]?.[0].length ?? 0))
    const least = Math.min(wanted, Math.max(LEAST_RESAMPLES, RESAMPLES_EACH * (count + 1)))
    if (count > 0 && (steps + more) * least > MOST_STEPS) break
    steps += more
    count += 1
  }
  const most = Math.max(LEAST_RESAMPLES, Math.floor(MOST_STEPS / Math.max(1, steps)))
  return { affordable: parts.slice(0, count), resamples: Math.min(wanted, most) }
}

function countsIn(
  rows: readonly RowPair<CountedRow>[],
  metric: CorpusMetricName,
  filter: string,
): Pick<Part, 'counts' | 'clusters'> {
  const valueOf = ({ scores }: CountedRow): readonly number[] | null => {
    const value = scores.find((score) => score.filter === filter)?.metrics[metric]
    return value !== undefined && isCounts(value) ? value : null
  }
  const found = rows.flatMap(({ first, second, cluster }) => {
    const [one, other] = [valueOf(first), valueOf(second)]
    return one === null || other === null ? [] : [{ counts: [one, other] as const, cluster }]
  })
  const clusters = found.flatMap(({ cluster }) => (cluster === null ? [] : [cluster]))
  return {
    counts: found.map(({ counts }) => counts),
    clusters: clusters.length === found.length ? clusters : undefined,
  }
}

function comparePart({ counts, clusters, ...of }: Part, { resamples, seed }: CompareOptions): CountsComparison {
  const { score } = corpusMetric(of.metric)
  const grouped = (rows: Counts): Counts => (clusters === undefined ? rows : clusterSums(rows, clusters))
  const corpora = [grouped(counts.map(([first]) => first)), grouped(counts.map(([, second]) => second))] as const
  const [first, second] = [score(sumsOf(corpora[0])), score(sumsOf(corpora[1]))]
  const drawn = drawnSums(corpora, { resamples, seed }).map(([one = [], other = []]) => score(other) - score(one))
  const error = standardDeviation(drawn)
  const pValue = randomized(corpora, score, { resamples, seed })
  return {
    ...of,
    n: counts.length,
    first,
    second,
    difference: second - first,
    interval: hasSpread(error) ? middleInterval(drawn) : null,
    pValue,
    adjusted: pValue,
    smallestEffect: smallestEffect(error),
    resamples,
  }
}

/** The share of exchanges of rows between both corpora, each with chance one half, that leave at least the difference there is. */
function randomized(
  [first, second]: readonly [Counts, Counts],
  score: (sums: ArrayLike<number>) => number,
  { resamples, seed }: { readonly resamples: number; readonly seed: number },
): number {
  const random = createPythonRandom(seed)
  const [ofFirst, ofSecond] = [sumsOf(first), sumsOf(second)]
  const least = Math.abs(score(ofSecond) - score(ofFirst))
  const width = ofFirst.length
  const gains = Float64Array.from(
    first.flatMap((row, place) => row.map((count, at) => (second[place]?.[at] ?? 0) - count)),
  )
  let reached = 1
  for (let trial = 0; trial < resamples; trial++) {
    const moved = new Float64Array(width)
    for (let place = 0; place < first.length; place++) {
      if (random.random() < 0.5) continue
      for (let at = 0; at < width; at++) moved[at] = (moved[at] ?? 0) + (gains[place * width + at] ?? 0)
    }
    const [one, other] = [
      ofFirst.map((sum, at) => sum + (moved[at] ?? 0)),
      ofSecond.map((sum, at) => sum - (moved[at] ?? 0)),
    ]
    // Sums of fractions differ in their last digits by their order.
    if (Math.abs(score(other) - score(one)) >= least - 1e-9) reached += 1
  }
  return reached / (resamples + 1)
}
