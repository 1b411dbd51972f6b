import { createPythonRandom } from './python-random.ts'
import type { Interval } from './wilson-interval.ts'

const TAIL = 0.025

/** Returns the 95 % interval of a mean by the plain bootstrap: the percentiles of resampled means (Efron, Ann. Stat. 7, 1979). */
export function percentileInterval(
  values: readonly number[],
  { resamples, seed }: { readonly resamples: number; readonly seed: number },
): Interval {
  const random = createPythonRandom(seed)
  const means: number[] = []
  for (let i = 0; i < resamples; i++) {
    let sum = 0
    for (let drawn = 0; drawn < values.length; drawn++) sum += values[Math.floor(random.random() * values.length)] ?? 0
    means.push(sum / values.length)
  }
  return middleInterval(means)
}

/** Returns the interval that the middle 95 % of drawn values span; NaN without one. */
export function middleInterval(drawn: readonly number[]): Interval {
  const sorted = drawn.toSorted((one, other) => one - other)
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
  return { low: at(TAIL), high: at(1 - TAIL) }
}
