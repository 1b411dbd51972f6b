const BASE_MS = 1000
const MOST_MS = 3_600_000

/**
 * Returns how long after its last attempt a fit may be leased to a pool again: twice as long after each, an hour at most
 * (the specification's scheduler).
 */
export function retryDelayMs(attempts: number): number {
  return attempts === 0 ? 0 : Math.min(MOST_MS, BASE_MS * 2 ** (attempts - 1))
}
