import { binomialCdf } from './binomial.ts'

/** Pairs of outcomes that differ: of the same rows under a first and a second treatment. */
export interface Discordant {
  /** Right under the first, wrong under the second. */
  readonly lost: number
  /** Wrong under the first, right under the second. */
  readonly won: number
}

/**
 * Returns the two-sided p-value of McNemar's exact test (Psychometrika 12, 1947): of pairs that differ, half are lost when
 * both treatments are equally good. 1 without such pairs.
 */
export function mcnemar({ lost, won }: Discordant): number {
  return Math.min(1, 2 * binomialCdf(Math.min(lost, won), lost + won, 0.5))
}
