import { clusteredError, mean, meanInterval, smallestEffect, standardError } from '../../../kernel/statistics/means.ts'
import { wilsonInterval, type Interval } from '../../../kernel/statistics/wilson-interval.ts'
import type { AnswerCost, Silence } from './answer.ts'

/** An answer as its figures read it. */
export interface CountedAnswer {
  readonly place: number
  readonly group: number
  readonly isRight: boolean
  readonly score: number
  readonly silence: Silence | null
  readonly cost: AnswerCost
}

/** The figures of one contestant over the rows. */
export interface ContestantFigures {
  readonly n: number
  readonly right: number
  readonly accuracy: number
  readonly interval: Interval & { readonly method: 'wilson' | 'clustered' }
  /** Mean score: under `json_fields` wrong rows have a part. */
  readonly quality: number
  /** Smallest difference that a test at level 0.05 finds with power 0.8 on so many rows; null for fewer than two. */
  readonly smallestEffect: number | null
  readonly silences: Readonly<Record<Silence, number>>
  readonly meanLatencyMs: number
  readonly p50LatencyMs: number
  readonly p95LatencyMs: number
  /** Sums over the rows; null where they were not measured. */
  readonly cpuMs: number | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly usd: number | null
}

/** Computes the figures of a contestant, whose rows are all answered. Intervals are clustered where groups have several rows. */
export function figuresOf(answers: readonly CountedAnswer[]): ContestantFigures {
  const values = answers.map(({ isRight }) => Number(isRight))
  const right = values.reduce((sum, value) => sum + value, 0)
  const groups = answers.map(({ group }) => String(group))
  const n = answers.length
  const latencies = answers.map(({ cost }) => cost.latencyMs).toSorted((one, other) => one - other)
  const error = standardError(values)
  return {
    n,
    right,
    accuracy: mean(values),
    interval: intervalOf(values, groups),
    quality: mean(answers.map(({ score }) => score)),
    smallestEffect: Number.isFinite(error) ? smallestEffect(Math.SQRT2 * error) : null,
    silences: {
      abstained: countOf(answers, 'abstained'),
      recipe_failed: countOf(answers, 'recipe_failed'),
      refused: countOf(answers, 'refused'),
      not_json: countOf(answers, 'not_json'),
    },
    meanLatencyMs: mean(latencies),
    p50LatencyMs: nearestRank(latencies, 0.5),
    p95LatencyMs: nearestRank(latencies, 0.95),
    cpuMs: sumOf(answers, 'cpuMs'),
    inputTokens: sumOf(answers, 'inputTokens'),
    outputTokens: sumOf(answers, 'outputTokens'),
    usd: sumOf(answers, 'usd'),
  }
}

function intervalOf(values: readonly number[], groups: readonly string[]): ContestantFigures['interval'] {
  const wilson = {
    ...wilsonInterval(values.filter((value) => value === 1).length, values.length),
    method: 'wilson',
  } as const
  if (new Set(groups).size === groups.length) return wilson
  const error = clusteredError(values, groups)
  // All right or all wrong: the residuals say nothing, Wilson's interval does.
  if (error === 0) return wilson
  const { low, high } = meanInterval(mean(values), error)
  return { low: Math.max(0, low), high: Math.min(1, high), method: 'clustered' }
}

/** The value at a share of a sorted list, by nearest rank: the smallest that at least so many do not exceed. */
export function nearestRank(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

function countOf(answers: readonly CountedAnswer[], silence: Silence): number {
  return answers.filter((answer) => answer.silence === silence).length
}

/** The sum of a cost; null when an answer has none: a part of a bill is no bill. */
function sumOf(answers: readonly CountedAnswer[], name: Exclude<keyof AnswerCost, 'latencyMs'>): number | null {
  let sum = 0
  for (const { cost } of answers) {
    const value = cost[name]
    if (value === null) return null
    sum += value
  }
  return sum
}
