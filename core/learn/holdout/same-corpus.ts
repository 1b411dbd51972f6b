import { ALPHA, leastGain, nextLevel } from '../gate/spending.ts'

/** Rows that pass the first test on a corpus when all of them are won: fewer known rows decide no gate by themselves. */
const DECISIVE_ROWS = leastGain(nextLevel(ALPHA, []).level)

/** The rows that a corpus has in common with others. */
export interface CommonRows {
  /** Rows of the corpus. */
  readonly rows: number
  /** Rows of the corpus that are in one of the others. */
  readonly shared: number
  /** Each of the others, with its own rows and those in common. */
  readonly others: readonly { readonly rows: number; readonly shared: number }[]
}

/**
 * Returns whether a corpus is one of the others under a new name: at least half of its rows are theirs, or it has at least half of
 * the rows of one of them, and so many that they could decide a gate. A few rows of a tiny corpus make no large one the same.
 */
export function isSameCorpus({ rows, shared, others }: CommonRows): boolean {
  return 2 * shared >= rows || others.some((other) => 2 * other.shared >= other.rows && other.shared >= DECISIVE_ROWS)
}
