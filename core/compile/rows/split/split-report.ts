import type { Figure } from '../../../kernel/wire/figure.ts'
import type { Sha256 } from '../../../kernel/json/json.ts'

/**
 * Methods of scoring. `cross_fit`: each by a recipe fitted without the fold it is in. `test_rows`: the rows that the
 * caller marked. `holdout`: a fifth that no teacher and no adapter saw.
 */
export const EVAL_MODES = ['cross_fit', 'holdout', 'test_rows'] as const
export type EvalMode = (typeof EVAL_MODES)[number]

/** A split of the rows, as positions in the list that was split. */
export interface Split {
  /** `leave_one_out` stands only in records of earlier versions. */
  readonly mode: EvalMode | 'leave_one_out'
  /** Rows that the shipped recipe is fitted on; with cross-fitting all rows. */
  readonly train: readonly number[]
  /** Rows that are scored; with cross-fitting all rows, each by a recipe fitted without its fold. */
  readonly holdout: readonly number[]
  /** The rows of each fold, with cross-fitting only. They partition the rows. */
  readonly folds?: readonly (readonly number[])[]
  readonly provenance: SeedProvenance | EarlierSeedProvenance
}

/** Evidence about rows and split that all versions have, in the field names of the public format. */
interface SplitEvidence {
  readonly seeds_hash: Sha256
  readonly train_hash: Sha256
  readonly holdout_hash: Sha256
  readonly train_count: number
  readonly holdout_count: number
  readonly eval_source: 'tenant_captured' | 'tenant_given'
  readonly eval_provenance: 'real_eval'
  readonly leakage_report: LeakageReport
  readonly leakage_report_hash: Sha256
  /** Hash of the rows that sampling saw. */
  readonly synthesis_input_hash: Sha256
  readonly source_seed_count: number
  readonly approved_count: number
  readonly min_train: number
  readonly min_holdout: number
  readonly production_ready: boolean
}

/** The evidence about rows and split (`seed_provenance`, `svc-seeds-2`). */
export interface SeedProvenance extends SplitEvidence {
  readonly spec: 'svc-seeds-2'
  readonly split_mode: EvalMode
  /** Null with test rows, which the caller chose. */
  readonly split_seed: string | null
  readonly stratified_by: 'label' | 'none' | null
  /** The rule that divides rows into folds, and the number of rows in each; null without folds. */
  readonly fold_rule: 'svc-folds-1' | null
  readonly fold_sizes: readonly number[] | null
  /** Distinct unlabelled inputs that belong to no row, and the hash of their list in order of their canonical JSON; absent without any. */
  readonly unlabelled_count?: number
  readonly unlabelled_hash?: Sha256
  /** Sources of two fields of the public format that are not measured; absent in records of older versions. */
  readonly figures?: { readonly approved_count: Figure; readonly eval_provenance: Figure }
}

/** The evidence about rows and split of builds before cross-fitting. */
export interface EarlierSeedProvenance extends SplitEvidence {
  readonly split_mode: 'holdout' | 'leave_one_out'
  readonly split_seed: string
  readonly holdout_ratio: number
  readonly stratified_by: 'label' | 'none'
  readonly synthetic_count: 0
}

/** Result of the leakage check. Equal outputs in two parts do not count. */
export interface LeakageReport {
  readonly input_overlap: number
  readonly near_duplicate_groups: number
  readonly near_duplicate_rows: number
  /** Near-duplicate groups with rows in more than one part: those larger than a part, or divided by the caller's marks. */
  readonly divided_groups: number
  /** Scored rows that a recipe was scored on although it was fitted on a near-duplicate of theirs. */
  readonly near_duplicate_overlap: number
}
