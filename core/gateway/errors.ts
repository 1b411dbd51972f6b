import { codesAbove, defineErrors } from '../kernel/errors.ts'
import { isErrorCode as isBillingErrorCode, type ErrorCode as BillingErrorCode } from '../billing/errors.ts'

/** Codes of model providers, their keys and the control center. */
export const GATEWAY_ERRORS = defineErrors({
  bad_provider: { status: 400, retryable: false },
  unknown_model: { status: 400, retryable: false },
  provider_disabled: { status: 400, retryable: false },
  not_translatable: { status: 400, retryable: false },
  missing_prompt: { status: 400, retryable: false },
  missing_question: { status: 400, retryable: false },
  question_too_long: { status: 413, retryable: false },
  free_quota_exceeded: { status: 429, retryable: true },
  empty_command: { status: 400, retryable: false },
  command_too_long: { status: 400, retryable: false },
  unbalanced_quote: { status: 400, retryable: false },
  not_a_svc_command: { status: 400, retryable: false },
  missing_verb: { status: 400, retryable: false },
  verb_not_allowed: { status: 400, retryable: false },
  subverb_not_allowed: { status: 400, retryable: false },
  arg_rejected: { status: 400, retryable: false },
  model_required: { status: 400, retryable: false },
  invalid_messages: { status: 400, retryable: false },
  unpriced_model: { status: 400, retryable: false },
  budget_exceeded: { status: 402, retryable: false },
  blocked_by_guardrail: { status: 403, retryable: false, mayQuote: true },
  privacy_blocked: { status: 451, retryable: false },
  privacy_policy_blocked: { status: 403, retryable: false },
  capture_forgotten: { status: 409, retryable: false },
  conversation_outdated: { status: 409, retryable: false },
  too_many_messages: { status: 413, retryable: false },
  message_too_large: { status: 413, retryable: false },
  invalid_retrieved_context_header: { status: 400, retryable: false },
  capture_hash_mismatch: { status: 400, retryable: false },
  retention_conflict: { status: 409, retryable: false },
  capture_without_content: { status: 409, retryable: false },
  provider_refused: { status: 422, retryable: false },
  manifest_invalid: { status: 422, retryable: false },
  missing_export_declarations: { status: 422, retryable: false },
  provider_auth_failed: { status: 502, retryable: false, isElsewhere: true, mayQuote: true },
  provider_rejected_request: { status: 502, retryable: false, isElsewhere: true, mayQuote: true },
  provider_invalid_response: { status: 502, retryable: false, isElsewhere: true, mayQuote: true },
  provider_unreachable: { status: 502, retryable: true, isElsewhere: true, mayQuote: true },
  provider_interrupted: { status: 502, retryable: true, isElsewhere: true, mayQuote: true },
  capture_store_unavailable: { status: 503, retryable: true },
  not_supported: { status: 501, retryable: false, isExpected: true },
  no_provider_key: { status: 503, retryable: false, isExpected: true },
  provider_rate_limited: { status: 503, retryable: true, isElsewhere: true, mayQuote: true },
  provider_overloaded: { status: 503, retryable: true, isElsewhere: true, mayQuote: true },
  provider_timeout: { status: 504, retryable: true, isElsewhere: true, mayQuote: true },
})

/** A machine code of this area or of one below it. */
export type ErrorCode = BillingErrorCode | keyof typeof GATEWAY_ERRORS

/** True for a text that is such a code. */
export const isErrorCode = codesAbove(isBillingErrorCode, GATEWAY_ERRORS)
