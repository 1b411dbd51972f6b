import type { Interval } from './wilson-interval.ts'

/** Halvings of an interval of differences: more change no digit of a double. */
const HALVINGS = 60

/** Counts of paired rows that differ. */
export interface PairedCounts {
  /** Right under the second only. */
  readonly won: number
  /** Right under the first only. */
  readonly lost: number
  /** All pairs. */
  readonly n: number
}

/**
 * Returns the score interval of the difference of two paired shares, second less first (Tango, Statistics in Medicine 17,
 * 1998). `z` is the normal quantile: 1.96 for a 95 % interval, 1.645 where only one bound is read at 5 %. Unlike Wald's, it is
 * honest where few or no pairs differ. -1 to 1 without pairs.
 */
export function pairedInterval({ won, lost, n }: PairedCounts, z: number): Interval {
  if (n === 0) return { low: -1, high: 1 }
  const score = (difference: number): number => scoreOf({ won, lost, n }, difference)
  const middle = (won - lost) / n
  return {
    low: crossing(-1, middle, (difference) => score(difference) > z),
    high: crossing(1, middle, (difference) => score(difference) < -z),
  }
}

/** Tango's statistic: the distance of what was seen from a difference, in standard errors under it. */
function scoreOf({ won, lost, n }: PairedCounts, difference: number): number {
  const a = 2 * n
  const b = -won - lost + (2 * n - won + lost) * difference
  const c = -lost * difference * (1 - difference)
  const share = (Math.sqrt(Math.max(0, b * b - 4 * a * c)) - b) / (2 * a)
  const variance = n * (2 * share + difference * (1 - difference))
  const distance = won - lost - n * difference
  if (variance <= 0) return distance === 0 ? 0 : Math.sign(distance) * Number.POSITIVE_INFINITY
  return distance / Math.sqrt(variance)
}

/** Halves between a difference that is outside and one that is inside. */
function crossing(outside: number, inside: number, isOutside: (difference: number) => boolean): number {
  if (!isOutside(outside)) return outside
  let [far, near] = [outside, inside]
  for (let i = 0; i < HALVINGS; i++) {
    const half = (far + near) / 2
    if (isOutside(half)) far = half
    else near = half
  }
  return (far + near) / 2
}
