/**
 * Every machine code the service answers with: its HTTP status, and whether the same call may succeed when it is
 * repeated unchanged. Activities retry only what is marked so.
 */
export const ERROR_CODES = {
  // 400: the request itself
  validation_failed: { status: 400, retryable: false },
  invalid_json: { status: 400, retryable: false },
  invalid_encoding: { status: 400, retryable: false },
  unknown_plan: { status: 400, retryable: false },
  unknown_base_model: { status: 400, retryable: false },
  unsupported_architecture: { status: 400, retryable: false },
  invalid_model: { status: 400, retryable: false },
  invalid_adapter: { status: 400, retryable: false },
  unknown_namespace: { status: 400, retryable: false },
  contradictory_examples: { status: 400, retryable: false },
  no_examples: { status: 400, retryable: false },
  too_few_examples: { status: 400, retryable: false },
  too_few_preferences: { status: 400, retryable: false },
  too_many_examples: { status: 400, retryable: false },
  example_too_large: { status: 400, retryable: false },
  invalid_seeds: { status: 400, retryable: false },
  empty_seeds: { status: 400, retryable: false },
  invalid_cid: { status: 400, retryable: false },
  invalid_hashes: { status: 400, retryable: false },
  invalid_cursor: { status: 400, retryable: false },
  malformed_receipt: { status: 400, retryable: false },
  unknown_receipt_key: { status: 400, retryable: false },
  invalid_archive: { status: 400, retryable: false },
  invalid_constraint: { status: 400, retryable: false },
  context_exceeded: { status: 400, retryable: false },
  missing_describe: { status: 400, retryable: false },
  ambiguous_credentials: { status: 400, retryable: false },
  invalid_http: { status: 400, retryable: false },
  fit_requires_model_params_b: { status: 400, retryable: false },
  fit_requires_vram_gb: { status: 400, retryable: false },
  fit_requires_context: { status: 400, retryable: false },
  fit_requires_batch: { status: 400, retryable: false },
  fit_unknown_quant: { status: 400, retryable: false },
  fit_unknown_kv_precision: { status: 400, retryable: false },
  fit_supported_methods_invalid: { status: 400, retryable: false },
  artifact_id_required: { status: 400, retryable: false },
  unknown_target: { status: 400, retryable: false },
  unknown_quant: { status: 400, retryable: false },
  unknown_destination: { status: 400, retryable: false },
  export_not_applicable: { status: 400, retryable: false },
  unknown_scope: { status: 400, retryable: false },
  invalid_value: { status: 400, retryable: false },
  invalid_period: { status: 400, retryable: false },
  confirm_mismatch: { status: 400, retryable: false },
  invalid_signature: { status: 400, retryable: false },
  identity_metadata_required: { status: 400, retryable: false },
  unsupported_provider: { status: 400, retryable: false },
  invalid_identity_config: { status: 400, retryable: false },
  no_fields: { status: 400, retryable: false },
  bad_provider: { status: 400, retryable: false },
  invalid_token: { status: 400, retryable: false },
  // 401, 402, 403
  missing_credential: { status: 401, retryable: false },
  invalid_credential: { status: 401, retryable: false },
  session_expired: { status: 401, retryable: false },
  api_key_in_query_unsupported: { status: 401, retryable: false },
  invalid_metrics_bearer: { status: 401, retryable: false },
  anon_expired: { status: 401, retryable: false },
  saml_response_refused: { status: 401, retryable: false },
  oidc_response_refused: { status: 401, retryable: false },
  quota_exhausted: { status: 402, retryable: false },
  storage_allowance_used: { status: 402, retryable: false },
  plan_upgrade_required: { status: 402, retryable: false },
  seat_limit: { status: 402, retryable: false },
  enterprise_only: { status: 402, retryable: false },
  forbidden: { status: 403, retryable: false },
  insufficient_scope: { status: 403, retryable: false },
  signup_disabled: { status: 403, retryable: false },
  csrf_rejected: { status: 403, retryable: false },
  admin_only: { status: 403, retryable: false },
  ownership_proof_required: { status: 403, retryable: false },
  account_link_required: { status: 403, retryable: false },
  email_unverified: { status: 403, retryable: false },
  privacy_policy_blocked: { status: 403, retryable: false },
  // 404, 408, 409, 410
  not_found: { status: 404, retryable: false },
  route_not_found: { status: 404, retryable: false },
  evidence_dag_not_found: { status: 404, retryable: false },
  sso_tenant_not_resolved: { status: 404, retryable: false },
  unknown_control_file: { status: 404, retryable: false },
  request_timeout: { status: 408, retryable: true },
  not_ready: { status: 409, retryable: false },
  already_finished: { status: 409, retryable: false },
  email_exists: { status: 409, retryable: false },
  idempotency_key_reused: { status: 409, retryable: false },
  request_in_progress: { status: 409, retryable: true },
  signature_mismatch: { status: 409, retryable: false },
  base_mismatch: { status: 409, retryable: false },
  cannot_prune_current_key: { status: 409, retryable: false },
  duplicate: { status: 409, retryable: false },
  no_payment_customer: { status: 409, retryable: false },
  jobs_running: { status: 409, retryable: false },
  ambiguous_prefix: { status: 409, retryable: false },
  too_many_keys: { status: 409, retryable: false },
  limit_reached: { status: 409, retryable: false },
  last_owner: { status: 409, retryable: false },
  charge_mismatch: { status: 409, retryable: false },
  receipt_secret_rotated: { status: 410, retryable: false },
  artifact_expired: { status: 410, retryable: false },
  artifact_revoked: { status: 410, retryable: false },
  export_expired: { status: 410, retryable: false },
  endpoint_deprecated: { status: 410, retryable: false },
  share_link_expired: { status: 410, retryable: false },
  invitation_expired: { status: 410, retryable: false },
  token_expired: { status: 410, retryable: false },
  // 413, 415, 417, 422, 429, 431
  payload_too_large: { status: 413, retryable: false },
  unsupported_media_type: { status: 415, retryable: false },
  unmet_expectation: { status: 417, retryable: false },
  k_score_below_floor: { status: 422, retryable: false },
  manifest_hash_mismatch: { status: 422, retryable: false },
  train_holdout_leakage: { status: 422, retryable: false },
  recipe_failed: { status: 422, retryable: false },
  evaluation_incomplete: { status: 422, retryable: false },
  no_training_rows: { status: 422, retryable: false },
  training_diverged: { status: 422, retryable: false },
  base_does_not_fit: { status: 422, retryable: false },
  invalid_checkpoint: { status: 422, retryable: false },
  provider_refused: { status: 422, retryable: false },
  manifest_invalid: { status: 422, retryable: false },
  missing_export_declarations: { status: 422, retryable: false },
  compile_cancelled: { status: 409, retryable: false },
  rate_limited: { status: 429, retryable: true },
  too_many_running_jobs: { status: 429, retryable: true },
  compute_exhausted: { status: 429, retryable: false },
  headers_too_large: { status: 431, retryable: false },
  // 5xx
  compile_failed: { status: 500, retryable: false },
  export_failed: { status: 500, retryable: false },
  internal: { status: 500, retryable: true },
  sso_not_configured: { status: 501, retryable: false },
  mail_not_delivered: { status: 502, retryable: true },
  processor_failed: { status: 502, retryable: true },
  identity_provider_failed: { status: 502, retryable: false },
  provider_auth_failed: { status: 502, retryable: false },
  provider_rejected_request: { status: 502, retryable: false },
  provider_invalid_response: { status: 502, retryable: false },
  provider_unreachable: { status: 502, retryable: true },
  provider_timeout: { status: 504, retryable: true },
  provider_rate_limited: { status: 503, retryable: true },
  provider_overloaded: { status: 503, retryable: true },
  preview_timeout: { status: 503, retryable: true },
  busy: { status: 503, retryable: true },
  model_busy: { status: 503, retryable: true },
  no_trainer_installed: { status: 503, retryable: false },
  base_not_installed: { status: 503, retryable: false },
  oauth_not_configured: { status: 503, retryable: false },
  billing_not_configured: { status: 503, retryable: false },
  mail_not_configured: { status: 503, retryable: false },
  saml_not_configured: { status: 503, retryable: false },
  admin_not_configured: { status: 503, retryable: false },
  store_unavailable: { status: 503, retryable: true },
  workflow_engine_unavailable: { status: 503, retryable: true },
  storage_full: { status: 507, retryable: true },
} as const satisfies Record<string, { status: number; retryable: boolean }>

/** A machine code of the service. */
export type ErrorCode = keyof typeof ERROR_CODES

/** What the caller did wrong with one field: its path in the request, and why. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/** Extra facts an error answers with; never a secret, never a stack. */
export interface ErrorDetails {
  readonly fields?: readonly FieldProblem[]
  readonly [fact: string]: unknown
}

/**
 * The one error class of the service. `message` is for people, `code` for programs; unknown errors never reach a
 * caller, they become `internal`.
 */
export class DomainError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails | undefined
  /** Seconds to wait before the call is worth repeating; becomes `Retry-After`. */
  readonly retryAfterS: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetails; retryAfterS?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'DomainError'
    this.code = code
    this.details = options.details
    this.retryAfterS = options.retryAfterS
  }
}

/** An error that names one field, `validation_failed` unless another code says it better. */
export function invalidField(
  field: string,
  message: string,
  code: ErrorCode = 'validation_failed',
  cause?: unknown,
): DomainError {
  return new DomainError(code, `${field}: ${message}`, { details: { fields: [{ field, message }] }, cause })
}
