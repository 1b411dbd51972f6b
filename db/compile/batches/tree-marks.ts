/** State of the Merkle tree of a batch after so many rows, as `MerkleFrontier.save` returns it. */
export interface TreeMark {
  readonly rows: number
  readonly tree: string
}

/** Newest marks that are all kept: a client that lost its connection lacks few rows. */
const NEWEST = 4
/** Growth of the distance between older marks. */
const GROWTH = 1.5

/** Returns the marks with a newer one, thinned so that their number grows with the logarithm of the rows. */
export function withMark(marks: readonly TreeMark[], newest: TreeMark): readonly TreeMark[] {
  const kept: TreeMark[] = [newest]
  for (const mark of marks.toReversed()) {
    const distance = newest.rows - mark.rows
    const last = newest.rows - (kept.at(-1)?.rows ?? newest.rows)
    if (distance > 0 && (kept.length < NEWEST || distance >= last * GROWTH)) kept.push(mark)
  }
  return kept.reverse()
}

/** Returns the last mark at or before a number of rows; the empty tree when there is none. */
export function markBefore(marks: readonly TreeMark[], rows: number): TreeMark {
  return marks.findLast((mark) => mark.rows <= rows) ?? { rows: 0, tree: '' }
}
