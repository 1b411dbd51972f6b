import { hash } from 'node:crypto'
import { canonicalJson, hashJson } from '../../../kernel/json/json.ts'
import { detectLabelTask } from '../../../model/classifier/label-task.ts'
import type { Row } from '../../task.ts'
import { assertNoLeakage } from './leakage.ts'
import { groupNearDuplicates } from './near-duplicates.ts'
import { hashRows } from './row-hashes.ts'
import type { LeakageReport, Split } from './split-report.ts'
import { takeHoldout, type Unit } from './take-holdout.ts'

/** Rows under which every row is held out once instead of a fifth of them. */
export const LEAVE_ONE_OUT_BELOW = 20
/** The seed of the split when the caller gives none. */
export const DEFAULT_SPLIT_SEED = 'svc-default-split-seed-v1'

const HOLDOUT_RATIO = 0.2
const MIN_TRAIN = 40
const MIN_HOLDOUT = 10

/** Options of the split. */
export interface SplitOptions {
  readonly seed?: string
  readonly evalSource?: 'tenant_captured' | 'tenant_given'
}

/** The rows of each label, or all rows as one stratum. */
function stratify(rows: readonly Row[]): {
  readonly strata: Uint32Array
  readonly count: number
  readonly byLabel: boolean
} {
  const task = detectLabelTask(rows.map(({ output }) => output))
  if (!task.applicable) return { strata: new Uint32Array(rows.length), count: 1, byLabel: false }
  return { strata: task.targets, count: task.labels.length, byLabel: true }
}

/**
 * Returns the number of held-out rows of each stratum: `total` divided in proportion, remaining places going to the
 * largest remainders (Hamilton's method); every stratum keeps one train row.
 */
function shareOut(sizes: readonly number[], total: number): number[] {
  const rows = sizes.reduce((sum, size) => sum + size, 0)
  const exact = sizes.map((size) => (size * total) / rows)
  const quota = exact.map((share, i) => Math.min(Math.floor(share), Math.max(0, (sizes[i] ?? 0) - 1)))
  const byRemainder = sizes
    .map((_, i) => i)
    .sort((a, b) => (exact[b] ?? 0) - (quota[b] ?? 0) - ((exact[a] ?? 0) - (quota[a] ?? 0)) || a - b)
  let left = total - quota.reduce((sum, share) => sum + share, 0)
  for (const stratum of byRemainder) {
    if (left === 0) break
    const taken = quota[stratum] ?? 0
    if (taken >= (sizes[stratum] ?? 0) - 1) continue
    quota[stratum] = taken + 1
    left--
  }
  return quota
}

/** The row of a group whose canonical input comes first. */
function firstByInput(rows: readonly Row[], group: readonly number[]): number | undefined {
  const named = group.map((row) => ({ row, input: canonicalJson(rows[row]?.input ?? null) }))
  return named.sort((a, b) => (a.input < b.input ? -1 : 1))[0]?.row
}

/** Near-duplicates as units, apart from groups that would fill more than the holdout: those are divided. */
function formUnits(
  rows: readonly Row[],
  keys: readonly string[],
  largest: number,
): { units: Unit[]; divided: number; groups: number; grouped: number } {
  const groupOf = groupNearDuplicates(rows.map(({ input }) => input))
  const members = new Map<number, number[]>()
  groupOf.forEach((group, row) => {
    const list = members.get(group)
    if (list) list.push(row)
    else members.set(group, [row])
  })
  const units: Unit[] = []
  let divided = 0
  let groups = 0
  let grouped = 0
  for (const list of members.values()) {
    if (list.length > 1) {
      groups++
      grouped += list.length
    }
    if (list.length > largest) {
      divided++
      for (const row of list) units.push({ rows: [row], key: keys[row] ?? '' })
    } else {
      // One fixed member represents its group: taking the least hash would favour large groups.
      const speaker = list.length === 1 ? list[0] : firstByInput(rows, list)
      units.push({ rows: list, key: keys[speaker ?? 0] ?? '' })
    }
  }
  return { units: units.sort((a, b) => (a.key < b.key ? -1 : 1)), divided, groups, grouped }
}

/** Near-duplicate pairs on both sides, counted as held-out rows of a divided group whose group is also in train. */
function countOverlap(rows: readonly Row[], held: Uint8Array): number {
  const groupOf = groupNearDuplicates(rows.map(({ input }) => input))
  const inTrain = new Set<number>()
  groupOf.forEach((group, row) => void (held[row] === 0 && inTrain.add(group)))
  return groupOf.reduce((count, group, row) => count + (held[row] === 1 && inTrain.has(group) ? 1 : 0), 0)
}

/**
 * Splits rows into train and holdout. With 20 rows or more the holdout is the fifth, rounded up, whose SHA-256 of seed
 * and canonical input is smallest, divided over the labels of a label task; near-duplicates stay on one side unless one
 * group of them is larger than the whole holdout, and the holdout is as close to a fifth, from below, as their groups
 * allow. With fewer rows every row is held out once in turn. The rows must have distinct inputs; throws
 * `train_holdout_leakage` otherwise.
 */
export function splitRows(rows: readonly Row[], options: SplitOptions = {}): Split {
  const seed = options.seed ?? DEFAULT_SPLIT_SEED
  const all = rows.map((_, i) => i)
  const { strata, count, byLabel } = stratify(rows)
  const leaveOneOut = rows.length < LEAVE_ONE_OUT_BELOW
  let train = all
  let holdout = all
  let leakage: LeakageReport = {
    input_overlap: 0,
    near_duplicate_groups: 0,
    near_duplicate_rows: 0,
    divided_groups: 0,
    near_duplicate_overlap: 0,
  }
  if (!leaveOneOut) {
    const target = Math.ceil(rows.length * HOLDOUT_RATIO)
    const keys = rows.map(({ input }) => hash('sha256', `${canonicalJson(input)} ${seed}`, 'hex'))
    const { units, divided, groups, grouped } = formUnits(rows, keys, target)
    const sizes = Array.from({ length: count }, () => 0)
    for (const stratum of strata) sizes[stratum] = (sizes[stratum] ?? 0) + 1
    const quota = shareOut(sizes, target)
    let held = takeHoldout(units, strata, quota)
    let dividedGroups = divided
    if (held.reduce((sum, one) => sum + one, 0) * 2 < target) {
      // When hardly any group fits into the share of its labels, rows are split singly: an evaluation on almost no rows
      // would be worse.
      const single = all.map((row) => ({ rows: [row], key: keys[row] ?? '' })).sort((a, b) => (a.key < b.key ? -1 : 1))
      held = takeHoldout(single, strata, quota)
      dividedGroups = groups
    }
    train = all.filter((row) => held[row] === 0)
    holdout = all.filter((row) => held[row] === 1)
    leakage = {
      input_overlap: 0,
      near_duplicate_groups: groups,
      near_duplicate_rows: grouped,
      divided_groups: dividedGroups,
      near_duplicate_overlap: dividedGroups > 0 ? countOverlap(rows, held) : 0,
    }
  }
  const rowsOf = (places: readonly number[]): Row[] => places.flatMap((place) => rows[place] ?? [])
  const trainRows = rowsOf(train)
  const holdoutRows = rowsOf(holdout)
  if (!leaveOneOut) assertNoLeakage(trainRows, holdoutRows)
  const trainHash = hashRows(trainRows)
  const enough = !leaveOneOut && train.length >= MIN_TRAIN && holdout.length >= MIN_HOLDOUT
  return {
    mode: leaveOneOut ? 'leave_one_out' : 'holdout',
    train,
    holdout,
    provenance: {
      seeds_hash: hashRows(rows),
      split_seed: seed,
      split_mode: leaveOneOut ? 'leave_one_out' : 'holdout',
      holdout_ratio: HOLDOUT_RATIO,
      train_hash: trainHash,
      holdout_hash: hashRows(holdoutRows),
      train_count: train.length,
      holdout_count: holdout.length,
      stratified_by: byLabel ? 'label' : 'none',
      eval_source: options.evalSource ?? 'tenant_given',
      eval_provenance: 'real_eval',
      leakage_report: leakage,
      leakage_report_hash: hashJson({ ...leakage }),
      synthesis_input_hash: trainHash,
      source_seed_count: rows.length,
      approved_count: rows.length,
      synthetic_count: 0,
      min_train: MIN_TRAIN,
      min_holdout: MIN_HOLDOUT,
      production_ready: enough && leakage.near_duplicate_overlap === 0,
    },
  }
}
