import {
  clusteredError,
  hasSpread,
  mean,
  meanInterval,
  smallestEffect,
  standardError,
} from '../../../kernel/statistics/means.ts'
import { passAtK, passHatK } from '../../../kernel/statistics/pass-at-k.ts'
import { shareInterval } from '../../../kernel/statistics/share-interval.ts'
import type { Interval } from '../../../kernel/statistics/wilson-interval.ts'
import type { TaskConfig } from '../task/task-config.ts'
import type { TaskSet } from '../task/read-tasks.ts'
import { aggregate } from './aggregate.ts'
import { corpusFigure } from './corpus/corpus-figure.ts'
import { corpusMetric, isCorpusMetric } from './corpus/corpus-metrics.ts'
import type { INTERVAL_METHODS } from './interval-methods.ts'
import { isCounts, type MetricValue, type RowScore } from './score-row.ts'
import { metricsOf, type Aggregation } from './task-metrics.ts'

/** The facts of a row that a summary reads. */
export interface SummaryRow {
  readonly task: string
  readonly scores: readonly RowScore[]
  readonly slice: string | null
  readonly cluster: string | null
  readonly rightRepeats: number | null
}

/** One figure of an evaluation. */
export interface EvalFigure {
  readonly task: string
  readonly filter: string
  /** A metric of lm-evaluation-harness; of an imported log whatever it names. */
  readonly metric: string
  /** Null for the whole task, else the slice. */
  readonly slice: string | null
  readonly value: number
  readonly stderr: number | null
  readonly n: number
  readonly isHigherBetter: boolean
  /** The 95 % interval and how it was made; null for figures that are neither a mean nor of a corpus, and for scores that are all alike and no 0 or 1. */
  readonly interval: (Interval & { readonly method: (typeof INTERVAL_METHODS)[number] }) | null
  /** Null where the rows have no spread, or fewer than two: their variance is unknown. */
  readonly smallestEffect: number | null
}

/** The share of rows that repeated answers solve. */
export interface PassFigure {
  readonly task: string
  readonly k: number
  /** At least one of k answers is right. */
  readonly passAtK: number
  /** All of k answers are right. */
  readonly passHatK: number
  readonly n: number
}

/** The figures of an evaluation. */
export interface EvalSummary {
  readonly figures: readonly EvalFigure[]
  readonly passes: readonly PassFigure[]
  readonly groups: readonly {
    readonly group: string
    readonly metric: string
    readonly value: number
    readonly stderr: number | null
    readonly n: number
  }[]
}

/** Slices of a task that get figures of their own. */
const MOST_SLICES = 50

/** Returns the figures of an evaluation from the scores of its rows. */
export function summarize({ tasks, groups }: TaskSet, rows: readonly SummaryRow[]): EvalSummary {
  const byTask = Map.groupBy(rows, ({ task }) => task)
  const figures = tasks.flatMap((task) => figuresOf(task, byTask.get(task.task) ?? []))
  return {
    figures,
    passes: tasks.flatMap((task) => passesOf(task, byTask.get(task.task) ?? [])),
    groups: groups.flatMap((group) =>
      group.metrics.flatMap((wanted) => {
        const { metric, weight_by_size: isWeighted, filter_list: filters } = wanted
        const names = typeof filters === 'string' ? [filters] : filters
        const parts = figures.filter(
          (figure) =>
            figure.slice === null &&
            figure.metric === metric &&
            names.includes(figure.filter) &&
            group.tasks.includes(figure.task),
        )
        return parts.length === 0 ? [] : [{ group: group.name, metric, ...pooled(parts, isWeighted) }]
      }),
    ),
  }
}

function figuresOf(task: TaskConfig, rows: readonly SummaryRow[]): readonly EvalFigure[] {
  const slices = [...Map.groupBy(rows, ({ slice }) => slice)].filter(([slice]) => slice !== null).slice(0, MOST_SLICES)
  const parts: readonly (readonly [string | null, readonly SummaryRow[]])[] = [[null, rows], ...slices]
  const filters = task.filter_list?.map(({ name }) => name) ?? ['none']
  return parts.flatMap(([slice, some]) =>
    filters.flatMap((filter) =>
      metricsOf(task).flatMap(({ name, aggregation, isHigherBetter }): readonly EvalFigure[] => {
        const found = some.flatMap((row) => {
          const value = row.scores.find((score) => score.filter === filter)?.metrics[name]
          return value === undefined ? [] : [{ value, cluster: row.cluster }]
        })
        if (found.length === 0) return []
        const values = found.map(({ value }) => value)
        // Errors of 100,000 resamples are computed for whole tasks: slices show means and figures of a corpus.
        if (slice !== null && aggregation !== 'mean' && !isCorpusMetric(aggregation)) return []
        const clusters = found.map(({ cluster }) => cluster).filter((each) => each !== null)
        const { value, stderr, spread } = figureOf(aggregation, values, clusters)
        const error = spread?.error ?? stderr
        return [
          {
            task: task.task,
            filter,
            metric: name,
            slice,
            value,
            stderr,
            n: values.length,
            isHigherBetter,
            interval: spread?.interval ?? null,
            smallestEffect: error === null ? null : smallestEffect(error),
          },
        ]
      }),
    ),
  )
}

/** A figure, its error as lm-evaluation-harness gives it, and the error and interval that are shown. */
function figureOf(aggregation: Aggregation, values: readonly MetricValue[], clusters: readonly string[]) {
  if (!isCorpusMetric(aggregation)) {
    return { ...aggregate(aggregation, values), spread: aggregation === 'mean' ? spreadOf(values, clusters) : null }
  }
  const rows = values.flatMap((value) => (isCounts(value) ? [value] : []))
  const isClustered = clusters.length === rows.length
  const { spread, ...figure } = corpusFigure(corpusMetric(aggregation), rows, isClustered ? clusters : undefined)
  const method = 'bootstrap' as const
  return { ...figure, spread: spread && { ...spread, interval: { ...spread.interval, method } } }
}

/** The interval of a mean: clustered where rows come in clusters, by Wilson for rows that are right or wrong. */
function spreadOf(
  values: readonly MetricValue[],
  clusters: readonly string[],
): { readonly error: number; readonly interval: EvalFigure['interval'] } | null {
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.length < 2) return null
  const isClustered = clusters.length === numbers.length
  const error = isClustered ? clusteredError(numbers, clusters) : standardError(numbers)
  if (numbers.every((value) => value === 0 || value === 1)) {
    return { error, interval: shareInterval(numbers, isClustered ? clusters : undefined) }
  }
  if (!hasSpread(error)) return { error, interval: null }
  return { error, interval: { ...meanInterval(mean(numbers), error), method: isClustered ? 'clustered' : 'normal' } }
}

function passesOf({ task, repeats }: TaskConfig, rows: readonly SummaryRow[]): readonly PassFigure[] {
  const right = rows.flatMap(({ rightRepeats }) => (rightRepeats === null ? [] : [rightRepeats]))
  if (right.length === 0) return []
  const ks = Array.from({ length: 10 }, (_, power) => 2 ** power).filter((k) => k < repeats)
  return [...ks, repeats].map((k) => ({
    task,
    k,
    passAtK: mean(right.map((count) => passAtK(repeats, count, k))),
    passHatK: mean(right.map((count) => passHatK(repeats, count, k))),
    n: right.length,
  }))
}

/** As lm-evaluation-harness 0.4.13: weighted by rows with a pooled error, or each task alike. */
function pooled(parts: readonly EvalFigure[], isWeighted: boolean) {
  const n = parts.reduce((sum, part) => sum + part.n, 0)
  const weight = (part: EvalFigure): number => (isWeighted ? part.n / n : 1 / parts.length)
  const value = parts.reduce((sum, part) => sum + part.value * weight(part), 0)
  const errors = parts.flatMap(({ stderr, n: size }) => (stderr === null ? [] : [{ stderr, size }]))
  if (errors.length < parts.length) return { value, stderr: null, n }
  const stderr = isWeighted
    ? Math.sqrt(
        errors.reduce((sum, { stderr: error, size }) => sum + (size - 1) * error ** 2 * size, 0) /
          (n - errors.length) /
          n,
      )
    : Math.sqrt(errors.reduce((sum, { stderr: error }) => sum + error ** 2, 0)) / errors.length
  return { value, stderr: Number.isFinite(stderr) ? stderr : null, n }
}
