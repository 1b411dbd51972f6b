import { adjustForDiscoveries } from '../../../kernel/statistics/adjust.ts'
import { mcnemar } from '../../../kernel/statistics/mcnemar.ts'
import { clusteredError, mean } from '../../../kernel/statistics/means.ts'
import { normalQuantile } from '../../../kernel/statistics/normal.ts'
import { pairedInterval } from '../../../kernel/statistics/paired-interval.ts'
import type { Interval } from '../../../kernel/statistics/wilson-interval.ts'
import type { CountedAnswer } from './figures.ts'

/** The answers of a contestant, by its place in the bake-off. */
export interface Ranked {
  readonly place: number
  readonly answers: readonly CountedAnswer[]
}

/** Two contestants on the rows that both have answered. */
export interface ContestantPair {
  readonly first: number
  readonly second: number
  readonly n: number
  /** Second less first. */
  readonly difference: number
  /** 95 % interval of it. */
  readonly interval: Interval
  /** Rows that only the second has right, and that only the first has right. */
  readonly won: number
  readonly lost: number
  /** Of McNemar's exact test. */
  readonly pValue: number
  /** Adjusted over all pairs of the bake-off (Benjamini and Hochberg). */
  readonly adjusted: number
}

/** Compares every pair of contestants, row by row. */
export function comparePairs(contestants: readonly Ranked[]): readonly ContestantPair[] {
  const pairs = contestants.flatMap((first, at) =>
    contestants
      .slice(at + 1)
      .map((second) => ({ first: first.place, second: second.place, ...compareTwo(first, second) })),
  )
  const adjusted = adjustForDiscoveries(pairs.map(({ pValue }) => pValue))
  return pairs.map((pair, at) => ({ ...pair, adjusted: adjusted[at] ?? 1 }))
}

function compareTwo(first: Ranked, second: Ranked) {
  const { n, won, lost, differences, groups } = pairRows(first, second)
  return {
    n,
    difference: n === 0 ? 0 : (won - lost) / n,
    interval: differenceInterval({ n, won, lost, differences, groups }, normalQuantile(0.975)),
    won,
    lost,
    pValue: mcnemar({ won, lost }),
  }
}

/** Returns the lower bound of the difference, second less first, that 95 of 100 such bake-offs respect. */
export function leastDifference(first: Ranked, second: Ranked): number {
  return differenceInterval(pairRows(first, second), normalQuantile(0.95)).low
}

interface PairedRows {
  readonly n: number
  readonly won: number
  readonly lost: number
  readonly differences: readonly number[]
  readonly groups: readonly string[]
}

function pairRows(first: Ranked, second: Ranked): PairedRows {
  const known = new Map(first.answers.map((answer) => [answer.place, answer]))
  const both = second.answers.flatMap((answer) => {
    const other = known.get(answer.place)
    return other === undefined
      ? []
      : [{ group: String(answer.group), by: Number(answer.isRight) - Number(other.isRight) }]
  })
  return {
    n: both.length,
    won: both.filter(({ by }) => by > 0).length,
    lost: both.filter(({ by }) => by < 0).length,
    differences: both.map(({ by }) => by),
    groups: both.map(({ group }) => group),
  }
}

/** Tango's interval; where groups have several rows, the wider of it and the one whose error is clustered by them. */
function differenceInterval({ n, won, lost, differences, groups }: PairedRows, z: number): Interval {
  const score = pairedInterval({ won, lost, n }, z)
  if (n === 0 || new Set(groups).size === n) return score
  const reach = z * clusteredError(differences, groups)
  const middle = mean(differences)
  return {
    low: Math.max(-1, Math.min(score.low, middle - reach)),
    high: Math.min(1, Math.max(score.high, middle + reach)),
  }
}
