/** Numbers to be reached on some rows. */
export interface NumberTarget {
  readonly rows: readonly number[]
  readonly values: readonly number[]
  /** Most decimals of the values: what they may have been rounded to. */
  readonly decimals: number
  /** The writer rounds to `decimals` anyway, so that a value which rounds to the target is right. */
  readonly isRoundedLater: boolean
}

/** One row of a fit: the number that is there, and the one that is wanted. */
export interface Sample {
  readonly x: number
  readonly t: number
}

/** Whether at least so many different numbers are there to fit from. */
export function isDistinct(samples: readonly Sample[], count: number): boolean {
  let distinct = 0
  for (const [at, { x }] of samples.entries()) {
    if (samples.findIndex((other) => other.x === x) === at && ++distinct >= count) return true
  }
  return false
}
