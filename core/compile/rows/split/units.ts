import { hash } from 'node:crypto'
import { canonicalJson } from '../../../kernel/json/json.ts'
import { detectLabelTask } from '../../../model/classifier/label-task.ts'
import type { Row } from '../task.ts'

/** Rows that go to one part together, with the hash that decides where. */
export interface Unit {
  readonly rows: readonly number[]
  readonly key: string
}

/** The stratum of each row: its label in a label task; otherwise all rows are one stratum. */
export interface Strata {
  readonly of: Uint32Array
  readonly sizes: readonly number[]
  readonly byLabel: boolean
}

/** Returns the strata of rows. */
export function stratify(rows: readonly Row[]): Strata {
  const task = detectLabelTask(rows.map(({ output }) => output))
  if (!task.applicable) return { of: new Uint32Array(rows.length), sizes: [rows.length], byLabel: false }
  const sizes = task.labels.map(() => 0)
  for (const stratum of task.targets) sizes[stratum] = (sizes[stratum] ?? 0) + 1
  return { of: task.targets, sizes, byLabel: true }
}

/** Returns the hash of each row: SHA-256 over its canonical input, a space, and the seed of the split. */
export function splitKeys(rows: readonly Row[], seed: string): readonly string[] {
  return rows.map(({ input }) => hash('sha256', `${canonicalJson(input)} ${seed}`, 'hex'))
}

/** Returns every row as a unit, in the order of the hashes. */
export function singleUnits(keys: readonly string[]): readonly Unit[] {
  return keys.map((key, row) => ({ rows: [row], key })).sort(byKey)
}

/**
 * Returns groups of near-duplicates as units, in the order of the hashes. The rows of a group with more than `largest`
 * rows are separate units.
 * @param groupOf the group of each row
 */
export function formUnits(
  rows: readonly Row[],
  keys: readonly string[],
  groupOf: Uint32Array,
  largest: number,
): readonly Unit[] {
  const groups = Map.groupBy(
    rows.map((_, row) => row),
    (row) => groupOf[row],
  )
  const units = [...groups.values()].flatMap((group): Unit[] => {
    if (group.length > largest) return group.map((row) => ({ rows: [row], key: keys[row] ?? '' }))
    // One fixed member represents its group: taking the least hash would favour large groups.
    const speaker = group.length === 1 ? group[0] : firstByInput(rows, group)
    return [{ rows: group, key: keys[speaker ?? 0] ?? '' }]
  })
  return units.sort(byKey)
}

function byKey(a: Unit, b: Unit): number {
  return a.key < b.key ? -1 : 1
}

/** The row of a group whose canonical input comes first. */
function firstByInput(rows: readonly Row[], group: readonly number[]): number | undefined {
  const named = group.map((row) => ({ row, input: canonicalJson(rows[row]?.input ?? null) }))
  return named.sort((a, b) => (a.input < b.input ? -1 : 1))[0]?.row
}
