import { defineErrors } from '../kernel/errors.ts'
import type { ErrorCode as GatewayErrorCode } from '../gateway/errors.ts'

/** Codes of compile jobs, artifacts, runs, exports and share links. */
export const COMPILE_ERRORS = defineErrors({
  unknown_namespace: { status: 400, retryable: false },
  contradictory_examples: { status: 400, retryable: false },
  no_examples: { status: 400, retryable: false },
  too_few_examples: { status: 400, retryable: false },
  too_few_preferences: { status: 400, retryable: false },
  too_many_examples: { status: 400, retryable: false },
  invalid_seeds: { status: 400, retryable: false },
  empty_seeds: { status: 400, retryable: false },
  invalid_cid: { status: 400, retryable: false },
  invalid_hashes: { status: 400, retryable: false },
  invalid_archive: { status: 400, retryable: false },
  missing_describe: { status: 400, retryable: false },
  fit_requires_model_params_b: { status: 400, retryable: false },
  fit_requires_vram_gb: { status: 400, retryable: false },
  fit_requires_context: { status: 400, retryable: false },
  fit_requires_batch: { status: 400, retryable: false },
  fit_unknown_quant: { status: 400, retryable: false },
  fit_unknown_kv_precision: { status: 400, retryable: false },
  fit_supported_methods_invalid: { status: 400, retryable: false },
  artifact_id_required: { status: 400, retryable: false },
  unknown_target: { status: 400, retryable: false },
  unknown_destination: { status: 400, retryable: false },
  evidence_dag_not_found: { status: 404, retryable: false },
  not_ready: { status: 409, retryable: false },
  already_finished: { status: 409, retryable: false },
  artifact_expired: { status: 410, retryable: false },
  artifact_revoked: { status: 410, retryable: false },
  export_expired: { status: 410, retryable: false },
  share_link_expired: { status: 410, retryable: false },
  k_score_below_floor: { status: 422, retryable: false },
  manifest_hash_mismatch: { status: 422, retryable: false },
  train_holdout_leakage: { status: 422, retryable: false },
  evaluation_incomplete: { status: 422, retryable: false },
  too_many_running_jobs: { status: 429, retryable: true },
  compute_exhausted: { status: 429, retryable: false },
  compile_failed: { status: 500, retryable: false },
  preview_timeout: { status: 503, retryable: true, isExpected: true },
  no_trainer_installed: { status: 503, retryable: false },
  base_not_installed: { status: 503, retryable: false },
})

/** A machine code of this area or of one below it. */
export type ErrorCode = GatewayErrorCode | keyof typeof COMPILE_ERRORS
