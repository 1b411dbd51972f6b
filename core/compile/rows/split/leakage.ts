import { COMPILE_ERRORS } from '../../errors.ts'
import { canonicalJson } from '../../../kernel/json/json.ts'
import type { Row } from '../task.ts'
import type { LeakageReport } from './split-report.ts'

const MAX_NAMED = 20

/**
 * Refuses train rows that also occur in the holdout. Throws `train_holdout_leakage`, naming the rows, when a canonical
 * input is on both sides; equal outputs do not matter. Returns the number of such inputs.
 */
export function assertNoLeakage(train: readonly Row[], holdout: readonly Row[]): number {
  const known = new Map(holdout.map((row) => [canonicalJson(row.input), row.id]))
  const pairs = train.flatMap((row) => {
    const twin = known.get(canonicalJson(row.input))
    return twin === undefined ? [] : [{ train: row.id, holdout: twin }]
  })
  return refuse(pairs, 'inputs stand in train and holdout')
}

/** Refuses rows of which two have one canonical input, since they may be in two folds. Throws as `assertNoLeakage`. */
export function assertDistinctInputs(rows: readonly Row[]): number {
  const known = new Map<string, string>()
  const pairs = rows.flatMap((row) => {
    const input = canonicalJson(row.input)
    const twin = known.get(input)
    known.set(input, row.id)
    return twin === undefined ? [] : [{ train: twin, holdout: row.id }]
  })
  return refuse(pairs, 'inputs stand in two rows')
}

function refuse(pairs: readonly { readonly train: string; readonly holdout: string }[], what: string): number {
  if (pairs.length === 0) return pairs.length
  const named = pairs.slice(0, MAX_NAMED)
  throw COMPILE_ERRORS.train_holdout_leakage(
    `${pairs.length} ${what}: ${named.map(({ train: a, holdout: b }) => `${a} and ${b}`).join('; ')}`,
    { details: { input_overlap: pairs.length, rows: named } },
  )
}

/**
 * Counts near-duplicates over the parts of a split whose inputs are distinct.
 * @param groupOf the near-duplicate group of each row
 * @param partOf the part of each row: its fold, or its side
 * @param isScored false for rows that are only learned from
 * @param inputOverlap inputs that were counted in two parts
 */
export function reportLeakage(
  groupOf: Uint32Array,
  partOf: (row: number) => number,
  isScored: (row: number) => boolean,
  inputOverlap: number,
): LeakageReport {
  const rows = Array.from(groupOf, (_, row) => row)
  const groups = [...Map.groupBy(rows, (row) => groupOf[row]).values()].filter(({ length }) => length > 1)
  const divided = groups.filter((group) => new Set(group.map(partOf)).size > 1)
  return {
    input_overlap: inputOverlap,
    near_duplicate_groups: groups.length,
    near_duplicate_rows: groups.reduce((sum, { length }) => sum + length, 0),
    divided_groups: divided.length,
    near_duplicate_overlap: divided.flat().filter(isScored).length,
  }
}
