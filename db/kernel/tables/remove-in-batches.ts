/** Rows that one statement of a sweep removes: few enough to hold their locks only briefly. */
const BATCH = 5000

/**
 * Repeats a statement that removes at most so many rows until it finds fewer, or the signal ends it between two of
 * them. Returns the number of rows.
 */
export async function removeInBatches(
  signal: AbortSignal | undefined,
  removeSome: (most: number) => Promise<readonly object[]>,
): Promise<number> {
  let removed = 0
  for (let found = BATCH; found === BATCH && signal?.aborted !== true; removed += found) {
    found = (await removeSome(BATCH)).length
  }
  return removed
}
