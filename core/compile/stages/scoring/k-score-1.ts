import { latencyAxis, round4, sizeAxis, WEIGHTS } from './axes.ts'
import type { EarlierKScore, Evaluation } from './score-types.ts'

/** The cost axis of `svc-k-score-1`: one half at a tenth of a cent a call. */
function costAxis(usdPerCall: number): number {
  return 1 / (1 + 1000 * usdPerCall)
}

/**
 * The K-score of builds before typed evidence, `A * (0.7 + 0.3 * mean(S, L, C, V))`. Archives keep the formula that they
 * were made with. Never changes.
 */
export function computeEarlierKScore(
  evaluation: Pick<Evaluation, 'accuracy' | 'coverage' | 'n' | 'interval'>,
  facts: {
    readonly sizeBytes: number
    readonly p50LatencyUs: number
    readonly costUsdPerCall: number
    readonly floor: number
  },
): EarlierKScore {
  const axes = {
    A: evaluation.accuracy,
    S: sizeAxis(facts.sizeBytes),
    L: latencyAxis(facts.p50LatencyUs),
    C: costAxis(facts.costUsdPerCall),
    V: evaluation.coverage,
  }
  const spread = (axes.S + axes.L + axes.C + axes.V) / 4
  const composite = round4(axes.A * (WEIGHTS.base + WEIGHTS.spread * spread))
  return {
    spec: 'svc-k-score-1',
    composite,
    gate: facts.floor,
    ships: composite >= facts.floor,
    n: evaluation.n,
    interval: evaluation.interval,
    accuracy: round4(evaluation.accuracy),
    coverage: round4(evaluation.coverage),
    p50_latency_us: facts.p50LatencyUs,
    cost_usd_per_call: facts.costUsdPerCall,
    size_bytes: facts.sizeBytes,
    axes: { A: round4(axes.A), S: round4(axes.S), L: round4(axes.L), C: round4(axes.C), V: round4(axes.V) },
    weights: WEIGHTS,
  }
}
