import { mcnemar } from '../../../kernel/statistics/mcnemar.ts'
import type { RowResultRecord } from '../diagnosis/row-result.ts'

/** A row that both artifacts were scored on, with the result of each. */
export interface RowPair {
  readonly a: RowResultRecord
  readonly b: RowResultRecord
}

/** Counts of pairs by a property that each side has or lacks, and the test of whether one side has it more often. */
export interface PairedCounts {
  readonly rows: number
  readonly both: number
  readonly neither: number
  /** `a` has it, `b` lacks it. */
  readonly lost: number
  /** `b` has it, `a` lacks it. */
  readonly won: number
  /** Two-sided, by McNemar's exact test. */
  readonly pValue: number
}

/**
 * Pairs the results of two artifacts by the digest of input and expected output. Of a row that stands several times in an
 * evaluation, the first of one side is paired with the first of the other, and so on. In the order of `b`.
 */
export function pairRows(a: readonly RowResultRecord[], b: readonly RowResultRecord[]): readonly RowPair[] {
  const waiting = Map.groupBy(inPlace(a), ({ rowHash }) => rowHash)
  const taken = new Map<string, number>()
  return inPlace(b).flatMap((row) => {
    const at = taken.get(row.rowHash) ?? 0
    const other = waiting.get(row.rowHash)?.[at]
    if (other === undefined) return []
    taken.set(row.rowHash, at + 1)
    return [{ a: other, b: row }]
  })
}

/** Counts pairs by a property of results. */
export function countPairs(pairs: readonly RowPair[], has: (row: RowResultRecord) => boolean): PairedCounts {
  const counts = { both: 0, neither: 0, lost: 0, won: 0 }
  for (const { a, b } of pairs) {
    if (has(a)) counts[has(b) ? 'both' : 'lost']++
    else counts[has(b) ? 'won' : 'neither']++
  }
  return { rows: pairs.length, ...counts, pValue: mcnemar(counts) }
}

function inPlace(rows: readonly RowResultRecord[]): readonly RowResultRecord[] {
  return rows.toSorted((one, other) => one.place - other.place)
}
