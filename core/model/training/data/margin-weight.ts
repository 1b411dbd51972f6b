/** The least weight of a preference row. */
export const LIGHTEST = 0.25
/** The largest weight of a preference row. */
export const HEAVIEST = 2

/**
 * The weight of a preference row from the margin by which its chosen answer is better, −1 to 1: 1 + margin, from 0.25
 * to 2; 1 when there is no margin. Margins beyond the bounds count as the bound.
 */
export function marginWeight(margin: number | undefined): number {
  if (margin === undefined) return 1
  return Math.min(HEAVIEST, Math.max(LIGHTEST, 1 + Math.min(1, Math.max(-1, margin))))
}
