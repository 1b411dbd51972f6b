/** The level of a test; on a sealed corpus, the one of all attempts ever together. */
export const ALPHA = 0.05

/** One attempt on a sealed corpus, in the order of its registration: true where it was promoted. */
export type Attempts = readonly boolean[]

/** The state of the budget of alpha before the next attempt. */
export interface Spending {
  /** Counted from 1, over all attempts on the corpus. */
  readonly attempt: number
  readonly promotions: number
  /** The level at which the next attempt tests. */
  readonly level: number
}

/**
 * Returns the level of the next attempt: alpha 2^-(m+1) prod 6/(pi k_i)^2 after m promotions, k_i the attempts up to each
 * promotion and since the last, the next one included. The answers so far are a path in a tree of promote and not; summed
 * over all of its nodes the levels are alpha, since sum 6/(pi k)^2 = 1. So all attempts ever, of a caller who chooses each
 * by the answers before it too, promote a candidate that is no better with a probability of at most alpha.
 */
export function nextLevel(alpha: number, earlier: Attempts): Spending {
  let level = alpha / 2
  let sinceLast = 1
  for (const isPromoted of earlier) {
    if (isPromoted) {
      level *= shareOf(sinceLast) / 2
      sinceLast = 1
    } else sinceLast++
  }
  return {
    attempt: earlier.length + 1,
    promotions: earlier.filter(Boolean).length,
    level: level * shareOf(sinceLast),
  }
}

/** 6/(pi k)^2: the shares of all k sum to 1. */
function shareOf(k: number): number {
  return 6 / (Math.PI * k) ** 2
}

/** Returns the rows that must be won, with none lost, to pass a level of McNemar's exact test. */
export function leastGain(level: number): number {
  return Math.ceil(-Math.log2(level))
}

/** Returns true when no result on so many rows could pass a level: not even one in which every row speaks for the candidate. */
export function isSpent(level: number, rows: number): boolean {
  return leastGain(level) > rows
}
