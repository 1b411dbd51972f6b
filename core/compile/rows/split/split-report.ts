import type { Sha256 } from '../../../kernel/json/json.ts'

/** A split of the rows, as positions in the list that was split. */
export interface Split {
  readonly mode: 'holdout' | 'leave_one_out'
  /** Rows that may be seen while fitting; with leave-one-out all rows, each fold lacking the one it is tested on. */
  readonly train: readonly number[]
  /** Rows that only the final evaluation sees; with leave-one-out all rows, each in its turn. */
  readonly holdout: readonly number[]
  readonly provenance: SeedProvenance
}

/** The evidence about rows and split, in the field names of the public format (`seed_provenance`). */
export interface SeedProvenance {
  readonly seeds_hash: Sha256
  readonly split_seed: string
  readonly split_mode: 'holdout' | 'leave_one_out'
  readonly holdout_ratio: number
  readonly train_hash: Sha256
  readonly holdout_hash: Sha256
  readonly train_count: number
  readonly holdout_count: number
  readonly stratified_by: 'label' | 'none'
  readonly eval_source: 'tenant_captured' | 'tenant_given'
  readonly eval_provenance: 'real_eval'
  readonly leakage_report: LeakageReport
  readonly leakage_report_hash: Sha256
  /** Hash of the rows that sampling saw. */
  readonly synthesis_input_hash: Sha256
  readonly source_seed_count: number
  readonly approved_count: number
  readonly synthetic_count: 0
  readonly min_train: number
  readonly min_holdout: number
  readonly production_ready: boolean
}

/** Result of the leakage check. Equal outputs on both sides do not count. */
export interface LeakageReport {
  readonly input_overlap: number
  readonly near_duplicate_groups: number
  readonly near_duplicate_rows: number
  /** Near-duplicate groups too large for one side, whose rows were divided one by one. */
  readonly divided_groups: number
  /** Pairs of near-duplicates that ended on both sides because their group was divided. */
  readonly near_duplicate_overlap: number
}
