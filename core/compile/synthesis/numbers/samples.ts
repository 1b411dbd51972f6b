import type { NumberTolerance } from '../../rows/equality/equality.ts'

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
  let distinct = 0
  for (const [at, { x }] of samples.entries()) {
    if (samples.findIndex((other) => other.x === x) === at && ++distinct >= count) return true
  }
  return false
}
