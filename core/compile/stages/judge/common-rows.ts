interface ScoredRow {
  readonly id: string
  readonly correct: boolean
}

/** The rows of `evals.json`, or their digests in place of them. */
interface ScoredRows {
  readonly rows: readonly ScoredRow[]
  readonly digests?: readonly ScoredRow[] | undefined
}

/**
 * Returns whether a kind that only some of the rows score is right on more of them than the recipe that all rows score. With as many
 * right answers these few rows tell nothing of the two, and the rows that they leave out speak for the other's figure: an adapter
 * that is right on all of five rows is no better than a table that is right on the same five and misses four of the others. True
 * where the rows of the other are not known.
 */
export function isBetterOnCommonRows(
  { evaluation }: { readonly evaluation: { readonly results: readonly ScoredRow[] } },
  { rows, digests }: ScoredRows,
): boolean {
  const others = new Map((digests ?? rows).map(({ id, correct }) => [id, correct]))
  const common = evaluation.results.filter(({ id }) => others.has(id))
  if (common.length === 0) return true
  const own = common.filter(({ correct }) => correct).length
  return own > common.filter(({ id }) => others.get(id) === true).length
}
