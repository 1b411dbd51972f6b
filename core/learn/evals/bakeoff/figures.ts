import { mean, smallestEffect, standardError } from '../../../kernel/statistics/means.ts'
import { shareInterval, type ShareInterval } from '../../../kernel/statistics/share-interval.ts'
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
  readonly interval: ShareInterval
  /** Mean score: under `json_fields` wrong rows have a part. */
  readonly quality: number
  /** Smallest difference that a test at level 0.05 finds with power 0.8 on so many rows; null where the rows are all right, or all wrong. */
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
  return {
    n,
    right,
    accuracy: mean(values),
    interval: shareInterval(values, groups),
    quality: mean(answers.map(({ score }) => score)),
    smallestEffect: smallestEffect(Math.SQRT2 * standardError(values)),
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
