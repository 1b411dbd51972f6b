import { wilsonInterval, type Interval } from '../../../kernel/statistics/wilson-interval.ts'

/** Added right and wrong rows of the Wilson interval's centre, so that no variance is 0. */
const PRIOR = 2

/**
 * Returns the number of rows that cross-fitted rows are worth as evidence of the recipe that ships. Each row is answered by
 * the recipe of its fold. Where that answers otherwise than the one that ships, rows are no independent trials of the
 * latter: two such recipes differ on whole regions of the inputs. So the variance of the share is (p(1 - p) + d) / n
 * instead of p(1 - p) / n, d the share of rows on which the two differ. Measured by `npm run bench -- noisy-sets`.
 */
export function worthOfRows(correct: number, n: number, differing: number): number {
  if (differing === 0 || n === 0) return n
  const share = (correct + PRIOR) / (n + 2 * PRIOR)
  const spread = share * (1 - share)
  return Math.max(1, Math.round((n * spread) / (spread + differing / n)))
}

/** Returns the 95 % Wilson interval of the share of right rows, at the number of rows that they are worth. */
export function intervalAt(correct: number, n: number, rows: number): Interval {
  return rows === n ? wilsonInterval(correct, n) : wilsonInterval((correct / n) * rows, rows)
}
