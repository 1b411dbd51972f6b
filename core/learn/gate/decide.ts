import { openBetting } from '../../kernel/statistics/betting.ts'
import { binomialCdf } from '../../kernel/statistics/binomial.ts'
import type { GateThresholds } from './registration.ts'
import { BASELINE_RIGHT, CANDIDATE_RIGHT, countResults, type ResultCounts } from './results.ts'

/**
 * Returns the p-value of McNemar's exact test (Psychometrika 12, 1947), one-sided: of rows that differ, at least so many are
 * won when both are equally good. 1 without such rows.
 */
export function gainPValue({ won, lost }: Pick<ResultCounts, 'won' | 'lost'>): number {
  return won + lost === 0 ? 1 : binomialCdf(lost, won + lost, 0.5)
}

/** Returns whether the results of all rows promote the candidate at a level. */
export function isPromoted(
  results: Uint8Array,
  { level, thresholds }: { readonly level: number; readonly thresholds: GateThresholds },
): boolean {
  const counts = countResults(results)
  return gainPValue(counts) <= level && meetsThresholds(counts, thresholds)
}

function meetsThresholds({ rows, candidate, won, lost }: ResultCounts, thresholds: GateThresholds): boolean {
  return (won - lost) / rows >= thresholds.minDelta && candidate / rows >= thresholds.minAccuracy
}

/** Ends of a sequential gate. */
export const SEQUENTIAL_ENDS = ['promote', 'futile', 'out_of_rows'] as const
export type SequentialEnd = (typeof SEQUENTIAL_ENDS)[number]

/** The bets of a sequential gate. */
export interface SequentialPlan {
  readonly alpha: number
  readonly planned: number
  readonly futility: number
  readonly thresholds: GateThresholds
}

/** The evidence of a sequential gate after some rows. */
export interface SequentialState extends ResultCounts {
  /** Null while more rows are needed. */
  readonly end: SequentialEnd | null
  /** Capital of the bet that the candidate gains. */
  readonly evidence: number
  /** Capital of the bet that it gains less than planned. */
  readonly against: number
  /** The evidence after some of the rows, in their order. */
  readonly path: readonly EvidencePoint[]
}

/** The evidence after so many rows. */
export interface EvidencePoint {
  readonly rows: number
  readonly evidence: number
  readonly against: number
}

/** Points of a path: enough for a picture. */
const MOST_POINTS = 200

/**
 * Follows the results of rows until the evidence for a gain reaches 1 / alpha with the thresholds met, that against the
 * planned gain reaches 1 / futility, or no row is left of `total`. Later results do not count. Looking after every row costs
 * nothing: by Ville's inequality both errors are bounded at all times together.
 */
export function followResults(results: Uint8Array, total: number, plan: SequentialPlan): SequentialState {
  const gains = openBetting({ mean: 0, least: -1, planned: plan.planned })
  // The mirrored difference, whose mean is above -planned where the gain is less than planned.
  const misses = openBetting({ mean: -plan.planned, least: -1, planned: 0 })
  const every = Math.max(1, Math.ceil(total / MOST_POINTS))
  const path: EvidencePoint[] = []
  let counts: ResultCounts = { rows: 0, candidate: 0, baseline: 0, won: 0, lost: 0 }
  for (const [place, bits] of results.entries()) {
    const difference = bits === CANDIDATE_RIGHT ? 1 : bits === BASELINE_RIGHT ? -1 : 0
    counts = addResult(counts, bits)
    const evidence = gains.add(difference)
    const against = misses.add(-difference)
    const end = endOf({ counts, evidence, against, total, plan })
    if (end !== null || (place + 1) % every === 0) path.push({ rows: place + 1, evidence, against })
    if (end !== null) return { ...counts, end, evidence, against, path }
  }
  return { ...counts, end: null, evidence: gains.capital, against: misses.capital, path }
}

function endOf(state: {
  readonly counts: ResultCounts
  readonly evidence: number
  readonly against: number
  readonly total: number
  readonly plan: SequentialPlan
}): SequentialEnd | null {
  const { counts, evidence, against, total, plan } = state
  if (evidence >= 1 / plan.alpha && meetsThresholds(counts, plan.thresholds)) return 'promote'
  if (against >= 1 / plan.futility) return 'futile'
  return counts.rows >= total ? 'out_of_rows' : null
}

function addResult(counts: ResultCounts, bits: number): ResultCounts {
  const one = countResults(Uint8Array.of(bits))
  return {
    rows: counts.rows + 1,
    candidate: counts.candidate + one.candidate,
    baseline: counts.baseline + one.baseline,
    won: counts.won + one.won,
    lost: counts.lost + one.lost,
  }
}
