import type { Interval } from '../../../kernel/statistics/wilson-interval.ts'
import { measured, notMeasured, valueOf, type Figure } from '../../../kernel/wire/figure.ts'
import { latencyAxis, round4, sizeAxis, WEIGHTS } from './axes.ts'
import type { Evaluation, Latency, KScore, KScoreDocument, KScoreEnvelope } from './score-types.ts'

/** Inputs of a K-score beside the evaluation. */
export interface KScoreFacts {
  /** Bytes of the recipe in canonical JSON and of its weights. */
  readonly sizeBytes: number
  /** The floor: a lower score is not signed. */
  readonly floor: number
}

const HOW = {
  composite: 'A * (0.7 + 0.3 * mean of the measured axes of S, L, C, V)',
  accuracy: 'right answers of the scored rows',
  interval: '95 % Wilson interval',
  foldInterval: '95 % Wilson interval at the rows that these are worth: some recipes of folds answer otherwise',
  coverage: 'scored rows that got an answer',
  latency: 'warm calls in the process that compiled',
  size: 'bytes of recipe and weights',
} as const

const NO_COST = 'the recipe runs on the machine of its caller: no call is paid for'
const NO_CALLS = 'no call was timed'

/** Inputs of the axes. */
type Measurements = Pick<Evaluation, 'accuracy' | 'coverage' | 'n' | 'interval' | 'intervalRows'> & {
  readonly latency: Pick<Evaluation['latency'], 'p50_us' | 'calls'>
}

/**
 * Returns the K-score of `svc-k-score-2`, `A * (0.7 + 0.3 * mean of the measured axes of S, L, C, V)`, rounded to four
 * decimals. An axis that was not measured is left out of the mean. It ships when it reaches the floor.
 */
export function computeKScore(evaluation: Measurements, facts: KScoreFacts): KScore {
  const { accuracy, coverage, n, interval, intervalRows = n, latency } = evaluation
  const hasCalls = latency.calls > 0
  const axes = {
    A: accuracy,
    S: sizeAxis(facts.sizeBytes),
    L: hasCalls ? latencyAxis(latency.p50_us) : null,
    C: null,
    V: coverage,
  }
  const spread = [axes.S, axes.L, axes.C, axes.V].filter((axis) => axis !== null)
  const mean = spread.reduce((sum, axis) => sum + axis, 0) / spread.length
  const composite = round4(axes.A * (WEIGHTS.base + WEIGHTS.spread * mean))
  return {
    spec: 'svc-k-score-2',
    composite,
    gate: facts.floor,
    ships: composite >= facts.floor,
    n,
    interval,
    ...(intervalRows === n ? {} : { interval_rows: intervalRows }),
    accuracy: round4(accuracy),
    coverage: round4(coverage),
    latency: { p50_us: latency.p50_us, calls: latency.calls },
    size_bytes: facts.sizeBytes,
  }
}

/** Returns the K-score as evidence states it: every figure with its basis. Scores of earlier versions stay as they are. */
export function describeKScore(score: KScoreEnvelope): KScoreDocument {
  if (score.spec === 'svc-k-score-1') return score
  const {
    composite,
    gate,
    ships,
    n,
    interval,
    interval_rows: intervalRows,
    accuracy,
    coverage,
    latency,
    size_bytes: sizeBytes,
  } = score
  const timed = (value: number): Figure =>
    latency.calls > 0 ? measured(value, latency.calls, HOW.latency) : notMeasured(NO_CALLS)
  return {
    spec: 'svc-k-score-2',
    composite: measured(composite, n, HOW.composite),
    gate,
    ships,
    accuracy: measured(accuracy, n, HOW.accuracy),
    interval: describeInterval(interval, n, intervalRows),
    coverage: measured(coverage, n, HOW.coverage),
    p50_latency_us: timed(latency.p50_us),
    cost_usd_per_call: notMeasured(NO_COST),
    size_bytes: measured(sizeBytes, 1, HOW.size),
    axes: {
      A: measured(accuracy, n, HOW.accuracy),
      S: measured(round4(sizeAxis(sizeBytes)), 1, HOW.size),
      L: timed(round4(latencyAxis(latency.p50_us))),
      C: notMeasured(NO_COST),
      V: measured(coverage, n, HOW.coverage),
    },
    weights: WEIGHTS,
  }
}

function describeInterval({ low, high }: Interval, n: number, rows = n) {
  const how = rows === n ? HOW.interval : HOW.foldInterval
  return { low: measured(low, rows, how), high: measured(high, rows, how) }
}

/** Returns the times of a call as figures, in microseconds. */
export function describeLatency({
  calls,
  ...percentiles
}: Latency): Readonly<Record<'p50_us' | 'p95_us' | 'p99_us', Figure>> {
  const timed = (value: number): Figure => (calls > 0 ? measured(value, calls, HOW.latency) : notMeasured(NO_CALLS))
  return {
    p50_us: timed(percentiles.p50_us),
    p95_us: timed(percentiles.p95_us),
    p99_us: timed(percentiles.p99_us),
  }
}

/** Returns the value of a figure of a score, of any version; null when it was not measured. */
export function numberOf(figure: number | Figure): number | null {
  return typeof figure === 'number' ? figure : valueOf(figure)
}
