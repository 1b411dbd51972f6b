/** Rows that one statement of a sweep removes: few enough to hold their locks only briefly. */
const BATCH = 5000

/**
 * Repeats a step of a sweep, which handles at most so many rows, until it finds fewer or the signal ends the sweep
 * between two steps. Returns the number of rows. A step must not find the rows of an earlier one again.
 */
export async function sweepInBatches(
  signal: AbortSignal | undefined,
  sweepSome: (most: number) => Promise<readonly unknown[]>,
  most = BATCH,
): Promise<number> {
  let swept = 0
  for (let found = most; found >= most && signal?.aborted !== true; swept += found) {
    found = (await sweepSome(most)).length
  }
  return swept
}
