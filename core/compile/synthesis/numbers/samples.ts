import type { NumberTolerance } from '../../rows/equality/equality.ts'
import { digitsOf } from './tidy.ts'

/** Numbers to be reached on some rows. */
export interface NumberTarget {
  readonly rows: readonly number[]
  readonly values: readonly number[]
  /** Most decimals of the values: the possible precision of their rounding. */
  readonly decimals: number
  /** The writer rounds to `decimals` anyway, so that a value which rounds to the target is right. */
  readonly isRoundedLater: boolean
  /** The writer rounds to so many significant digits, in place of `decimals`. */
  readonly digits?: number
  /** Tolerance of the equality at the numbers' path; the loosest one when they are parts of texts. */
  readonly tolerance?: NumberTolerance
}

/** One row of a fit: the given number, and the target. */
export interface Sample {
  readonly x: number
  readonly t: number
}

/** Returns true when there are at least `count` different numbers to fit from. */
export function isDistinct(samples: readonly Sample[], count: number): boolean {
  const distinct = new Set<number>()
  for (const { x } of samples) if (distinct.add(x).size >= count) return true
  return false
}

/** Far more than a constant changes when it is written with few digits. */
const CLEARLY = 1e-6

/**
 * Returns true when the target clearly rises and falls while the number rises, or differs where the number is the same:
 * then no monotone function gives it.
 */
export function isNotMonotone(samples: readonly Sample[]): boolean {
  let isUp = true
  let isDown = true
  for (const [i, a] of samples.entries()) {
    for (let j = i + 1; j < samples.length && (isUp || isDown); j++) {
      const b = samples[j] ?? a
      const rise = b.x >= a.x ? b.t - a.t : a.t - b.t
      if (Math.abs(rise) <= CLEARLY * (1 + Math.abs(a.t))) continue
      if (a.x === b.x) return true
      if (rise > 0) isDown = false
      else isUp = false
    }
  }
  return !isUp && !isDown
}

/**
 * Returns true when no constants near `slope` and `offset` give the target by `slope * x + offset`: tells so without
 * writing the constants as text, which takes most of the time of a fit.
 */
export function isNoLine(samples: readonly Sample[], slope: number, offset: number): boolean {
  const [first] = samples
  // An offset that was computed at the first sample has the error of its terms.
  const around = 1 + Math.abs(offset) + Math.abs(first?.x ?? 0) + Math.abs(slope * (first?.x ?? 0))
  return samples.some(({ x, t }) => {
    const size = around + Math.abs(slope * x) + Math.abs(x) + Math.abs(t)
    return Math.abs(slope * x + offset - t) > CLEARLY * size
  })
}

/** Returns true when weights have fewer digits than the numbers that they explain. */
export function areShorter(weights: readonly number[], { values, decimals }: NumberTarget): boolean {
  const written = weights.reduce((sum, weight) => sum + digitsOf(weight) + 1, 0)
  const explained = values.reduce((sum, value) => sum + Math.max(1, Math.log10(Math.abs(value) * 10 ** decimals)), 0)
  return written < explained
}
