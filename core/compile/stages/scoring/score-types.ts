import type { Interval } from '../../../kernel/statistics/wilson-interval.ts'
import type { Json } from '../../../kernel/json/json.ts'
import type { LeafResult } from '../../runtime/composite/judge-leaves.ts'
import type { Figure } from '../../../kernel/wire/figure.ts'

/** A recipe's answer for one held-out row. */
export interface RowResult {
  readonly id: string
  readonly correct: boolean
  readonly abstained: boolean
  /** The answer; null when it abstained, failed or ran out of time. */
  readonly output: Json
  /** At most six decimals; lowered when the answer is in doubt. */
  readonly confidence: number
  /** Ids of the verifier's checks that the answer failed. */
  readonly failedChecks: readonly string[]
  /** True when the input fails a check of the rows' inputs. */
  readonly unlike: boolean
  /** Reason for a missing answer. */
  readonly error: 'recipe_failed' | 'out_of_budget' | 'no_candidate' | null
  /** Results of the leaves of a composite. */
  readonly leaves?: readonly LeafResult[]
}

/** Score of a recipe over all held-out rows. */
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
  /** Rows that the scored ones are worth in the interval; all of them when absent, in records of older versions. */
  readonly intervalRows?: number
  readonly latency: Latency
  readonly results: readonly RowResult[]
}

/** Percentiles of the measured time of one call, in microseconds. */
export interface Latency {
  readonly p50_us: number
  readonly p95_us: number
  readonly p99_us: number
  readonly calls: number
}

/** The K-score with everything it was computed from; the axes follow from it. */
export interface KScore {
  readonly spec: 'svc-k-score-2'
  readonly composite: number
  readonly gate: number
  readonly ships: boolean
  readonly n: number
  readonly interval: Interval
  /** Rows that the scored ones are worth in the interval; absent where they are all worth theirs. */
  readonly interval_rows?: number
  readonly accuracy: number
  readonly coverage: number
  /** Of the calls that were timed; without any it was not measured. */
  readonly latency: Pick<Latency, 'p50_us' | 'calls'>
  readonly size_bytes: number
}

/** The K-score of builds before typed evidence, as they signed it. */
export interface EarlierKScore {
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
  readonly axes: Readonly<Record<Axis, number>>
  readonly weights: { readonly base: number; readonly spread: number }
}

/** A K-score of any version; the earlier one is in records of jobs that began before. */
export type KScoreEnvelope = KScore | EarlierKScore

type Axis = 'A' | 'S' | 'L' | 'C' | 'V'

/** The K-score as evidence states it. */
export type KScoreDocument =
  | EarlierKScore
  | {
      readonly spec: 'svc-k-score-2'
      readonly composite: Figure
      readonly gate: number
      readonly ships: boolean
      readonly accuracy: Figure
      readonly interval: { readonly low: Figure; readonly high: Figure }
      readonly coverage: Figure
      readonly p50_latency_us: Figure
      readonly cost_usd_per_call: Figure
      readonly size_bytes: Figure
      readonly axes: Readonly<Record<Axis, Figure>>
      readonly weights: { readonly base: number; readonly spread: number }
    }
