import { latencyAxis } from '../../stages/scoring/axes.ts'
import type { PairedCounts } from './pair-rows.ts'

/** Which values of an axis are better. */
export type Direction = 'higher' | 'lower'

/** The axes that are compared, each with the direction that is better. */
export const AXES = {
  accuracy: 'higher',
  coverage: 'higher',
  k_score: 'higher',
  p50_latency_us: 'lower',
  cost_usd_per_call: 'lower',
  size_bytes: 'lower',
} as const satisfies Readonly<Record<string, Direction>>
/** One of them. */
export type Axis = keyof typeof AXES

/** Changes of an axis from `a` to `b`. `undecided`: they differ by no more than chance explains. */
export const CHANGES = ['better', 'worse', 'same', 'undecided', 'not_measured'] as const
/** One of them. */
export type Change = (typeof CHANGES)[number]

/** Recommendations for `b`, the newer artifact. */
export const RECOMMENDATIONS = ['promote', 'roll_back', 'inconclusive'] as const
/** One of them. */
export type Recommendation = (typeof RECOMMENDATIONS)[number]

/** The share of comparisons of equal artifacts that may find a difference. */
export const ALPHA = 0.05

/** The least difference of latencies, as the axis of the K-score has them: half of its last digit, some five microseconds. */
const LEAST_LATENCY = 0.00005

/** An axis of two artifacts. */
export interface ComparedAxis {
  readonly axis: Axis
  readonly direction: Direction
  readonly a: number | null
  readonly b: number | null
  readonly change: Change
  /** Of a paired test; null for an axis that has one value for each artifact, which no test can judge. */
  readonly pValue: number | null
  /** Pairs of the test. */
  readonly n: number | null
}

/** Compares an axis that is a share of paired rows. */
export function pairedAxis(axis: Axis, { rows, both, lost, won, pValue }: PairedCounts): ComparedAxis {
  const direction = AXES[axis]
  if (rows === 0) return { axis, direction, a: null, b: null, change: 'not_measured', pValue: null, n: 0 }
  const [a, b] = [(both + lost) / rows, (both + won) / rows]
  return { axis, direction, a, b, change: changeOf(direction, a, b, pValue <= ALPHA), pValue, n: rows }
}

/**
 * Compares an axis that was measured once for each artifact. Latencies within half of the last digit that the
 * K-score has of them are undecided: each was timed in a compile of its own, and a microsecond between them says nothing.
 */
export function measuredAxis(axis: Axis, a: number | null, b: number | null): ComparedAxis {
  const direction = AXES[axis]
  const change = a === null || b === null ? 'not_measured' : changeOf(direction, a, b, isDistinct(axis, a, b))
  return { axis, direction, a, b, change, pValue: null, n: null }
}

function isDistinct(axis: Axis, a: number, b: number): boolean {
  return axis !== 'p50_latency_us' || Math.abs(latencyAxis(a) - latencyAxis(b)) >= LEAST_LATENCY
}

/**
 * Recommends by the rows that both were scored on: promote where `b` is right on more of them than chance explains, roll back
 * where on fewer. Other axes do not decide: they have one value for each artifact, and a smaller file does not recommend a recipe
 * that may be wrong more often.
 */
export function recommend({ lost, won, pValue }: PairedCounts): Recommendation {
  if (pValue > ALPHA) return 'inconclusive'
  return won > lost ? 'promote' : 'roll_back'
}

function changeOf(direction: Direction, a: number, b: number, isSignificant: boolean): Change {
  if (a === b) return 'same'
  if (!isSignificant) return 'undecided'
  return b > a === (direction === 'higher') ? 'better' : 'worse'
}
