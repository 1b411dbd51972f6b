import { hash } from 'node:crypto'
import { canonicalJson, hashJson } from '../../json.ts'
import { detectLabelTask } from '../../model/classifier/label-task.ts'
import type { Row } from '../task.ts'
import { assertNoLeakage } from './leakage.ts'
import { groupNearDuplicates } from './near-duplicates.ts'
import { hashRows } from './row-hashes.ts'
import type { LeakageReport, Split } from './split-report.ts'

/** Rows under which every row is held out once instead of a fifth of them. */
export const LEAVE_ONE_OUT_BELOW = 20
/** The seed of the split when the caller gives none. */
export const DEFAULT_SPLIT_SEED = 'svc-default-split-seed-v1'

const HOLDOUT_RATIO = 0.2
const MIN_TRAIN = 40
const MIN_HOLDOUT = 10

/** How rows are split. */
export interface SplitOptions {
  readonly seed?: string
  readonly evalSource?: 'tenant_captured' | 'tenant_given'
}

/** Rows that go to one side together, with the hash that decides where. */
interface Unit {
  readonly rows: readonly number[]
  readonly key: string
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
 * How many rows of each stratum are held out: `total` shared out in proportion, the places left over going to the
 * largest remainders (Hamilton's method); every stratum keeps one row to learn from.
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
      const key = list.map((row) => keys[row] ?? '').reduce((least, one) => (one < least ? one : least))
      units.push({ rows: list, key })
    }
  }
  return { units: units.sort((a, b) => (a.key < b.key ? -1 : 1)), divided, groups, grouped }
}

/** Takes units in the order of their hash into the holdout as long as every stratum of their rows has room. */
function takeHoldout(units: readonly Unit[], strata: Uint32Array, quota: readonly number[]): Uint8Array {
  const room = [...quota]
  const held = new Uint8Array(strata.length)
  for (const { rows } of units) {
    const needed = new Map<number, number>()
    for (const row of rows) needed.set(strata[row] ?? 0, (needed.get(strata[row] ?? 0) ?? 0) + 1)
    if ([...needed].some(([stratum, count]) => count > (room[stratum] ?? 0))) continue
    for (const [stratum, count] of needed) room[stratum] = (room[stratum] ?? 0) - count
    for (const row of rows) held[row] = 1
  }
  return held
}

/** Near-duplicate pairs on both sides, counted as held-out rows of a divided group whose group is also in train. */
function countOverlap(rows: readonly Row[], held: Uint8Array): number {
  const groupOf = groupNearDuplicates(rows.map(({ input }) => input))
  const inTrain = new Set<number>()
  groupOf.forEach((group, row) => void (held[row] === 0 && inTrain.add(group)))
  return groupOf.reduce((count, group, row) => count + (held[row] === 1 && inTrain.has(group) ? 1 : 0), 0)
}

/**
 * Divides rows into train and holdout. With 20 rows or more the holdout is the fifth, rounded up, whose SHA-256 of
 * seed and canonical input is smallest, shared out over the labels of a label task; near-duplicates stay on one side
 * unless one group of them is larger than the whole holdout. With fewer rows every row is held out once in its turn.
 * The rows must have distinct inputs; throws `train_holdout_leakage` otherwise.
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
      // Hardly any group fits into the share of its labels: an evaluation on next to nothing would be worse.
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
