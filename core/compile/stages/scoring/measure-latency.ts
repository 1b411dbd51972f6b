import type { Json } from '../../../kernel/json/json.ts'
import type { Runner } from '../../runtime/recipe.ts'
import type { Latency } from './score-types.ts'

/** Calls before timing starts, so that the engine has compiled the hot code. */
const WARM_UP_CALLS = 200
const MEASURED_CALLS = 1000
/** Wall-clock milliseconds for warming up and for measuring, each. */
const TIME_LIMIT_MS = 150

/** The value below which a share of the sorted values lies: index `floor(n * share)`, at most the last. */
function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function callOnce(runner: Runner, input: Json): void {
  try {
    runner.run(input)
  } catch {
    // A row without an answer takes its time too; the evaluation reports it.
  }
}

/** Measures single calls over the given inputs, warm, in microseconds with one decimal. */
export function measureLatency(runner: Runner, inputs: readonly Json[]): Latency {
  if (inputs.length === 0) return { p50_us: 0, p95_us: 0, p99_us: 0, calls: 0 }
  const input = (i: number): Json => inputs[i % inputs.length] ?? null
  const warmUntil = performance.now() + TIME_LIMIT_MS
  for (let i = 0; i < WARM_UP_CALLS && performance.now() < warmUntil; i++) callOnce(runner, input(i))
  const samples: number[] = []
  const until = performance.now() + TIME_LIMIT_MS
  for (let i = 0; i < MEASURED_CALLS; i++) {
    const start = performance.now()
    callOnce(runner, input(i))
    const end = performance.now()
    samples.push((end - start) * 1000)
    if (end > until) break
  }
  return latencyOf(samples)
}

/** The percentiles of measured times in microseconds, with one decimal. */
export function latencyOf(samples: readonly number[]): Latency {
  const sorted = Float64Array.from(samples).sort()
  const at = (share: number): number => Number(percentile(sorted, share).toFixed(1))
  return { p50_us: at(0.5), p95_us: at(0.95), p99_us: at(0.99), calls: samples.length }
}
