import { defineErrors } from '../kernel/errors.ts'
import type { ErrorCode as CompileErrorCode } from '../compile/errors.ts'

/** Codes of datasets, evaluations, gates, holdouts, plans, and of what is learned from traffic. */
export const LEARN_ERRORS = defineErrors({
  too_few_observations: { status: 400, retryable: false },
  empty_dataset: { status: 400, retryable: false },
  unknown_rows: { status: 400, retryable: false },
  dataset_split_error: { status: 400, retryable: false },
  dataset_building: { status: 409, retryable: true },
  dataset_failed: { status: 500, retryable: true },
  invalid_eval_task: { status: 400, retryable: false, mayQuote: true },
  invalid_eval_row: { status: 400, retryable: false, mayQuote: true },
  eval_gold_out_of_range: { status: 400, retryable: false, mayQuote: true },
  eval_needs_likelihoods: { status: 400, retryable: false },
  too_many_evaluations: { status: 429, retryable: true },
  evaluation_not_failed: { status: 409, retryable: false },
  evaluation_failed: { status: 500, retryable: false },
  too_many_bakeoffs: { status: 429, retryable: true },
  bakeoff_failed: { status: 500, retryable: false },
  contestant_not_applicable: { status: 422, retryable: false },
  too_many_measurements: { status: 429, retryable: true },
  measurement_failed: { status: 500, retryable: false },
  weak_clusters_required: { status: 400, retryable: false },
  benchmark_evidence_incomplete: { status: 422, retryable: false },
  bad_target: { status: 400, retryable: false },
  deploy_target_not_available: { status: 409, retryable: false },
  eval_gate_failed: { status: 400, retryable: false },
  holdout_exists: { status: 409, retryable: false },
  holdout_sealed: { status: 409, retryable: false },
  holdout_revealed: { status: 409, retryable: false },
  holdout_busy: { status: 409, retryable: true },
  holdout_exhausted: { status: 409, retryable: false },
  holdout_too_large: { status: 413, retryable: false },
  gate_failed: { status: 500, retryable: true },
  invalid_run_id: { status: 400, retryable: false },
  not_enough: { status: 400, retryable: false },
  no_cluster: { status: 400, retryable: false },
  pairs_missing: { status: 400, retryable: false },
  student_missing: { status: 400, retryable: false },
  unknown_objective: { status: 400, retryable: false },
  teacher_required: { status: 400, retryable: false },
  distill_failed: { status: 500, retryable: true },
})

/** A machine code of this area or of one below it. */
export type ErrorCode = CompileErrorCode | keyof typeof LEARN_ERRORS
