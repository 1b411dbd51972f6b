import type { MatrixView } from './vector-matrix.ts'

/** A vector of a matrix and its cosine similarity to a query. */
export interface RowMatch {
  readonly row: number
  readonly similarity: number
}

/** Returns the most similar of some rows by their full vectors, best first; of equal ones the earlier row. */
export function bestOfRows(
  { dimensions, full }: Pick<MatrixView, 'dimensions' | 'full'>,
  query: Float32Array,
  rows: readonly number[],
  most: number,
): readonly RowMatch[] {
  return rows
    .map((row) => ({ row, similarity: dotAt(full, row * dimensions, query) }))
    .toSorted((a, b) => b.similarity - a.similarity || a.row - b.row)
    .slice(0, most)
}

/** Returns the most similar rows of all, compared one by one in full. */
export function bestOfAll(matrix: MatrixView, query: Float32Array, most: number): readonly RowMatch[] {
  const { count, dimensions, full } = matrix
  const scores = new Float64Array(count)
  for (let row = 0; row < count; row++) scores[row] = dotAt(full, row * dimensions, query)
  const threshold = scores.toSorted().at(-Math.min(most, count)) ?? 0
  const rows: number[] = []
  for (let row = 0; row < count; row++) if ((scores[row] ?? 0) >= threshold) rows.push(row)
  return bestOfRows(matrix, query, rows, most)
}

// Four sums: a single one waits for the addition before it.
function dotAt(full: Float32Array, from: number, query: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0]
  const { length } = query
  let at = 0
  for (; at + 3 < length; at += 4) {
    a += (full[from + at] ?? 0) * (query[at] ?? 0)
    b += (full[from + at + 1] ?? 0) * (query[at + 1] ?? 0)
    c += (full[from + at + 2] ?? 0) * (query[at + 2] ?? 0)
    d += (full[from + at + 3] ?? 0) * (query[at + 3] ?? 0)
  }
  for (; at < length; at++) a += (full[from + at] ?? 0) * (query[at] ?? 0)
  return a + b + c + d
}
