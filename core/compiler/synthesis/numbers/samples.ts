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
