import type { Evaluation, KScoreEnvelope } from './score-types.ts'

const BASE_WEIGHT = 0.7
const SPREAD_WEIGHT = 0.3

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

function round4(value: number): number {
  return Number(value.toFixed(4))
}

/** The size axis: 1 up to a KiB, a thirtieth less for each doubling. */
export function sizeAxis(bytes: number): number {
  return clamp(1 - Math.log2(Math.max(1, bytes / 1024)) / 30)
}

/** The latency axis: one half at a tenth of a second. */
export function latencyAxis(p50Us: number): number {
  return 1 / (1 + p50Us / 100_000)
}

/** The cost axis: one half at a tenth of a cent a call. */
export function costAxis(usdPerCall: number): number {
  return 1 / (1 + 1000 * usdPerCall)
}

/** Inputs of a K-score beside the evaluation. */
export interface KScoreFacts {
  /** Bytes of the recipe in canonical JSON and of its weights. */
  readonly sizeBytes: number
  readonly costUsdPerCall: number
  /** The floor: a lower score is not signed. */
  readonly floor: number
}

/**
 * The K-score, `A * (0.7 + 0.3 * mean(S, L, C, V))`, rounded to four decimals, with everything it was computed from.
 * It ships when it reaches the floor.
 */
export function computeKScore(
  evaluation: Pick<Evaluation, 'accuracy' | 'coverage' | 'n' | 'interval'> & {
    readonly latency: Pick<Evaluation['latency'], 'p50_us'>
  },
  facts: KScoreFacts,
): KScoreEnvelope {
  const axes = {
    A: evaluation.accuracy,
    S: sizeAxis(facts.sizeBytes),
    L: latencyAxis(evaluation.latency.p50_us),
    C: costAxis(facts.costUsdPerCall),
    V: evaluation.coverage,
  }
  const spread = (axes.S + axes.L + axes.C + axes.V) / 4
  const composite = round4(axes.A * (BASE_WEIGHT + SPREAD_WEIGHT * spread))
  return {
    spec: 'svc-k-score-1',
    composite,
    gate: facts.floor,
    ships: composite >= facts.floor,
    n: evaluation.n,
    interval: evaluation.interval,
    accuracy: round4(evaluation.accuracy),
    coverage: round4(evaluation.coverage),
    p50_latency_us: evaluation.latency.p50_us,
    cost_usd_per_call: facts.costUsdPerCall,
    size_bytes: facts.sizeBytes,
    axes: { A: round4(axes.A), S: round4(axes.S), L: round4(axes.L), C: round4(axes.C), V: round4(axes.V) },
    weights: { base: BASE_WEIGHT, spread: SPREAD_WEIGHT },
  }
}
