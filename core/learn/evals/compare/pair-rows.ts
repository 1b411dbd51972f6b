/** The outcome of one row, for comparisons. */
export interface ComparedRow {
  /** Position in its evaluation, from 0. */
  readonly place: number
  readonly task: string
  /** Digest of the row. */
  readonly hash: string
  readonly isRight: boolean
  readonly slice: string | null
  readonly cluster: string | null
}

/** One row in two evaluations. */
export interface RowPair extends Pick<ComparedRow, 'task' | 'slice' | 'cluster'> {
  readonly first: Pick<ComparedRow, 'place' | 'isRight'>
  readonly second: Pick<ComparedRow, 'place' | 'isRight'>
}

/**
 * Pairs rows of two evaluations: the same task and the same content. Equal rows of one task are paired in their order. Slices and
 * clusters are those of the first.
 */
export function pairRows(first: readonly ComparedRow[], second: readonly ComparedRow[]): readonly RowPair[] {
  const waiting = Map.groupBy(second, keyOf)
  return first.flatMap((row) => {
    const partner = waiting.get(keyOf(row))?.shift()
    if (partner === undefined) return []
    const { task, slice, cluster } = row
    return [{ task, slice, cluster, first: row, second: partner }]
  })
}

function keyOf({ task, hash }: ComparedRow): string {
  return `${hash} ${task}`
}
