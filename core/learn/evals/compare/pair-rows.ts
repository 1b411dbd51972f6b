/** A row of an evaluation that can be paired with one of another. */
export interface PairedRow {
  /** Position in its evaluation, from 0. */
  readonly place: number
  readonly task: string
  /** Digest of the row. */
  readonly hash: string
  readonly slice: string | null
  readonly cluster: string | null
}

/** The outcome of one row that is right or wrong, for comparisons. */
export interface ComparedRow extends PairedRow {
  readonly isRight: boolean
}

/** One row in two evaluations. */
export interface RowPair<Row extends PairedRow = ComparedRow> extends Pick<PairedRow, 'task' | 'slice' | 'cluster'> {
  readonly first: Row
  readonly second: Row
}

/**
 * Pairs rows of two evaluations: the same task and the same content. Equal rows of one task are paired in their order. Slices and
 * clusters are those of the first.
 */
export function pairRows<Row extends PairedRow>(
  first: readonly Row[],
  second: readonly Row[],
): readonly RowPair<Row>[] {
  const waiting = Map.groupBy(second, keyOf)
  return first.flatMap((row) => {
    const partner = waiting.get(keyOf(row))?.shift()
    if (partner === undefined) return []
    const { task, slice, cluster } = row
    return [{ task, slice, cluster, first: row, second: partner }]
  })
}

function keyOf({ task, hash }: PairedRow): string {
  return `${hash} ${task}`
}
