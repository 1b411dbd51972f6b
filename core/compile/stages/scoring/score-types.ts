import type { Json } from '../../../kernel/json/json.ts'
import type { LeafResult } from '../../runtime/composite/judge-leaves.ts'

/** A recipe's answer for one evaluated row. */
export interface RowResult {
  readonly id: string
  readonly correct: boolean
  readonly abstained: boolean
  /** The answer; null when it abstained, failed or ran out of time. */
  readonly output: Json
  readonly confidence: number
  /** Ids of the verifier's checks that the answer failed. */
  readonly failedChecks: readonly string[]
  /** Reason for a missing answer. */
  readonly error: 'recipe_failed' | 'out_of_budget' | 'no_candidate' | null
  /** Results of the leaves of a composite. */
  readonly leaves?: readonly LeafResult[]
}

/** Score of a recipe over all evaluated rows. */
export interface Evaluation {
  readonly n: number
  readonly correct: number
  readonly abstained: number
  readonly failed: number
  readonly accuracy: number
  /** Share of rows that got an answer. */
  readonly coverage: number
  /** 95 % Wilson score interval of the accuracy. */
  readonly interval: Interval
  readonly latency: Latency
  readonly results: readonly RowResult[]
}

/** An interval of a share. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** Percentiles of the measured time of one call, in microseconds. */
export interface Latency {
  readonly p50_us: number
  readonly p95_us: number
  readonly p99_us: number
  readonly calls: number
}

/** The K-score with everything it was computed from. */
export interface KScoreEnvelope {
  readonly spec: 'svc-k-score-1'
  readonly composite: number
  readonly gate: number
  readonly ships: boolean
  readonly n: number
  readonly interval: Interval
  readonly accuracy: number
  readonly coverage: number
  readonly p50_latency_us: number
  readonly cost_usd_per_call: number
  readonly size_bytes: number
  readonly axes: { readonly A: number; readonly S: number; readonly L: number; readonly C: number; readonly V: number }
  readonly weights: { readonly base: number; readonly spread: number }
}
