import { hashJson, type Json } from '../../../kernel/json/json.ts'
import { notMeasured } from '../../../kernel/wire/figure.ts'
import type { Row } from '../task.ts'
import { canHoldOut, holdOutFifth } from './hold-out-fifth.ts'
import { assertDistinctInputs, assertNoLeakage, reportLeakage } from './leakage.ts'
import { groupNearDuplicates } from './near-duplicates.ts'
import { countFolds, FOLD_RULE, planFolds } from './plan-folds.ts'
import { splitShortfalls } from './readiness.ts'
import { hashRows, hashUnlabelled } from './row-hashes.ts'
import type { LeakageReport, SeedProvenance, Split } from './split-report.ts'

/** The seed of the split when the caller gives none. */
export const DEFAULT_SPLIT_SEED = 'svc-default-split-seed-v1'

const MIN_TRAIN = 40
const MIN_HOLDOUT = 10

const GIVEN_FIGURES = {
  approved_count: notMeasured('no person approves rows one by one: the number is that of the rows given'),
  eval_provenance: notMeasured('the caller states where the rows come from; no check can tell'),
} as const

/** By the source of the rows, figures of the two fields of the public format that are not measured. */
export const SEED_FIGURES = {
  tenant_given: GIVEN_FIGURES,
  tenant_captured: {
    approved_count: notMeasured(
      'the number is that of all rows; captures.used counts the rows of approved captures, captures.other_examples those given beside them',
    ),
    eval_provenance: notMeasured(
      'captures are calls that the service recorded or the caller imported; captures names their chain',
    ),
  },
} as const

/** The figures of archives with captures that were made before these had their own. */
export const EARLIER_CAPTURED_FIGURES = GIVEN_FIGURES

/** Options of the split. */
export interface SplitOptions {
  readonly seed?: string
  readonly evalSource?: 'tenant_captured' | 'tenant_given'
  /** Distinct unlabelled inputs that belong to no row. */
  readonly unlabelled?: readonly Json[]
}

/** The splits of a compile. */
export interface Splits {
  /** Scores the recipes that are made here: cross-fitting, or the test rows. */
  readonly split: Split
  /** Scores what a teacher or an adapter saw, where that is another split; null when there are too few rows. */
  readonly apart: Split | null
}

type Facts = Pick<SeedProvenance, 'split_mode' | 'split_seed' | 'stratified_by' | 'fold_rule' | 'fold_sizes'>
type Sides = Pick<Split, 'train' | 'holdout'>

function provenanceOf(
  rows: readonly Row[],
  { train, holdout }: Sides,
  leakage: LeakageReport,
  facts: Facts,
  options: SplitOptions,
): SeedProvenance {
  const rowsAt = (places: readonly number[]): Row[] => places.flatMap((place) => rows[place] ?? [])
  const trainHash = hashRows(rowsAt(train))
  const counts = {
    train_count: train.length,
    holdout_count: holdout.length,
    min_train: MIN_TRAIN,
    min_holdout: MIN_HOLDOUT,
  }
  const shortfalls = splitShortfalls({ ...counts, fold_sizes: facts.fold_sizes, leakage_report: leakage })
  return {
    spec: 'svc-seeds-2',
    ...facts,
    seeds_hash: hashRows(rows),
    train_hash: trainHash,
    holdout_hash: hashRows(rowsAt(holdout)),
    ...counts,
    eval_source: options.evalSource ?? 'tenant_given',
    eval_provenance: 'real_eval',
    leakage_report: leakage,
    leakage_report_hash: hashJson({ ...leakage }),
    synthesis_input_hash: trainHash,
    source_seed_count: rows.length,
    approved_count: rows.length,
    ...unlabelledFacts(options.unlabelled ?? []),
    figures: SEED_FIGURES[options.evalSource ?? 'tenant_given'],
    production_ready: shortfalls.length === 0,
  }
}

function unlabelledFacts(inputs: readonly Json[]): Pick<SeedProvenance, 'unlabelled_count' | 'unlabelled_hash'> {
  if (inputs.length === 0) return {}
  return { unlabelled_count: inputs.length, unlabelled_hash: hashUnlabelled(inputs) }
}

/** Returns the folds of a plan as lists of rows. */
function listFolds(foldOf: Uint8Array, count: number): readonly (readonly number[])[] {
  const folds = Array.from({ length: count }, (): number[] => [])
  foldOf.forEach((fold, row) => folds[fold]?.push(row))
  return folds
}

function crossFit(rows: readonly Row[], groupOf: Uint32Array, options: SplitOptions): Split {
  const overlap = assertDistinctInputs(rows)
  const seed = options.seed ?? DEFAULT_SPLIT_SEED
  const { foldOf, byLabel } = planFolds(rows, groupOf, seed)
  const folds = listFolds(foldOf, countFolds(rows.length))
  const all = rows.map((_, row) => row)
  const leakage = reportLeakage(
    groupOf,
    (row) => foldOf[row] ?? 0,
    () => true,
    overlap,
  )
  const facts: Facts = {
    split_mode: 'cross_fit',
    split_seed: seed,
    stratified_by: byLabel ? 'label' : 'none',
    fold_rule: FOLD_RULE,
    fold_sizes: folds.map(({ length }) => length),
  }
  const sides = { train: all, holdout: all }
  return { mode: 'cross_fit', ...sides, folds, provenance: provenanceOf(rows, sides, leakage, facts, options) }
}

/** A split into two sides by a mark of each row. */
function twoSides(
  rows: readonly Row[],
  groupOf: Uint32Array,
  isHeld: (row: number) => boolean,
  facts: Facts,
  options: SplitOptions,
): Split {
  const places = rows.map((_, row) => row)
  const sides = { train: places.filter((row) => !isHeld(row)), holdout: places.filter(isHeld) }
  const rowsAt = (some: readonly number[]): Row[] => some.flatMap((place) => rows[place] ?? [])
  const overlap = assertNoLeakage(rowsAt(sides.train), rowsAt(sides.holdout))
  const leakage = reportLeakage(groupOf, (row) => Number(isHeld(row)), isHeld, overlap)
  return { mode: facts.split_mode, ...sides, provenance: provenanceOf(rows, sides, leakage, facts, options) }
}

const NO_FOLDS = { fold_rule: null, fold_sizes: null } as const

/**
 * Splits rows for their evaluation. Rows marked as test rows score what is fitted on the others. Without any, each row
 * is scored by a recipe fitted without its fold (`planFolds`). The rows must have distinct inputs; throws
 * `train_holdout_leakage` otherwise.
 */
export function splitRows(rows: readonly Row[], options: SplitOptions = {}): Split {
  return splitBy(rows, groupsOf(rows), options)
}

/**
 * Returns the split by which a teacher and an adapter are scored: they see four fifths of the rows, and the other fifth
 * scores them. With test rows it is that of all kinds. Null for fewer than three rows. Throws as `splitRows`.
 */
export function splitApart(rows: readonly Row[], options: SplitOptions = {}): Split | null {
  const groupOf = groupsOf(rows)
  return hasTestRows(rows) ? splitBy(rows, groupOf, options) : apartBy(rows, groupOf, options)
}

/** Returns both splits of a compile. Throws as `splitRows`. */
export function splitBothWays(rows: readonly Row[], options: SplitOptions = {}): Splits {
  const groupOf = groupsOf(rows)
  const split = splitBy(rows, groupOf, options)
  return { split, apart: split.mode === 'cross_fit' ? apartBy(rows, groupOf, options) : null }
}

function groupsOf(rows: readonly Row[]): Uint32Array {
  return groupNearDuplicates(rows.map(({ input }) => input))
}

function hasTestRows(rows: readonly Row[]): boolean {
  return rows.some(({ kind }) => kind === 'test')
}

function splitBy(rows: readonly Row[], groupOf: Uint32Array, options: SplitOptions): Split {
  if (!hasTestRows(rows)) return crossFit(rows, groupOf, options)
  const facts: Facts = { split_mode: 'test_rows', split_seed: null, stratified_by: null, ...NO_FOLDS }
  return twoSides(rows, groupOf, (row) => rows[row]?.kind === 'test', facts, options)
}

function apartBy(rows: readonly Row[], groupOf: Uint32Array, options: SplitOptions): Split | null {
  if (!canHoldOut(rows.length)) return null
  const seed = options.seed ?? DEFAULT_SPLIT_SEED
  const { held, byLabel } = holdOutFifth(rows, groupOf, seed)
  const facts: Facts = {
    split_mode: 'holdout',
    split_seed: seed,
    stratified_by: byLabel ? 'label' : 'none',
    ...NO_FOLDS,
  }
  return twoSides(rows, groupOf, (row) => held[row] === 1, facts, options)
}
