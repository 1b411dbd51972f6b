/** A side of a gate by its posted numbers, or by what its artifact states. */
export interface PointSide {
  readonly kScore: number | null
  readonly source: 'asserted_k_score' | 'asserted_axes' | 'signed_artifact' | 'none'
  readonly regressionClasses: readonly string[]
}

/** Thresholds of the point mode. */
export interface PointThresholds {
  readonly min_kscore_delta: number
  readonly max_regression_classes: number
  readonly min_kscore_abs: number
}

/** The decision on two numbers. */
export interface PointDecision {
  readonly decision: 'promote' | 'block'
  readonly reason: string
  readonly delta: number | null
  readonly newClasses: readonly string[]
}

/** Weights of the axes of the K-score (edition 2); the weight of missing ones is spread over the others. */
const WEIGHTS: Readonly<Record<string, number>> = {
  A: 0.3,
  S: 0.1,
  L: 0.1,
  C: 0.1,
  V: 0.1,
  R: 0.05,
  T: 0.05,
  F: 0.1,
  E: 0.05,
  Z: 0.05,
}

/** Returns the K-score of axis values; null without one that has a weight. */
export function kScoreOfAxes(axes: Readonly<Record<string, number>>): number | null {
  const known = Object.entries(axes).flatMap(([name, value]) => {
    const weight = Object.hasOwn(WEIGHTS, name) ? WEIGHTS[name] : undefined
    return weight === undefined ? [] : [{ weight, value }]
  })
  const total = known.reduce((sum, { weight }) => sum + weight, 0)
  return total === 0 ? null : known.reduce((sum, { weight, value }) => sum + weight * value, 0) / total
}

/** Decides on posted numbers: score, floor, gain, new regression classes, in this order. A missing baseline counts as 0. */
export function decidePoint(candidate: PointSide, baseline: PointSide, thresholds: PointThresholds): PointDecision {
  const known = new Set(baseline.regressionClasses)
  const newClasses = [...new Set(candidate.regressionClasses)].filter((name) => !known.has(name))
  const delta = candidate.kScore === null ? null : candidate.kScore - (baseline.kScore ?? 0)
  const reason = reasonAgainst(candidate, delta, newClasses, thresholds)
  return reason === null
    ? { decision: 'promote', reason: 'all thresholds are met', delta, newClasses }
    : { decision: 'block', reason, delta, newClasses }
}

function reasonAgainst(
  { kScore }: PointSide,
  delta: number | null,
  newClasses: readonly string[],
  thresholds: PointThresholds,
): string | null {
  if (kScore === null || delta === null) return 'the candidate has no score'
  if (kScore < thresholds.min_kscore_abs) return `the score is below the floor of ${thresholds.min_kscore_abs}`
  if (round(delta) < thresholds.min_kscore_delta) return `the gain is below ${thresholds.min_kscore_delta}`
  const most = thresholds.max_regression_classes
  return newClasses.length > most ? `${newClasses.length} new regression classes; ${most} are allowed` : null
}

/** Posted scores have few decimals, and their difference must not miss a threshold by the last bit. */
function round(value: number): number {
  return Number(value.toFixed(12))
}
