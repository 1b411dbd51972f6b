import type { ErrorCode } from '../../../core/learn/errors.ts'

/** Returns the text for people of a failure by its code. */
export function failureText(code: ErrorCode): string {
  switch (code) {
    case 'context_exceeded':
      return "max_gen_toks or a continuation is longer than the base's context"
    case 'not_found':
    case 'artifact_revoked':
      return 'the artifact was removed or revoked before all rows were scored'
    case 'no_provider_key':
    case 'provider_auth_failed':
      return "the provider's key is gone or was refused; resume the evaluation with a key that works, and no answer is asked for twice"
    case 'provider_disabled':
      return 'the provider was disabled for this tenant; enable it and resume the evaluation'
    case 'unknown_model':
      return 'the provider or the model is no longer known; resume the evaluation when it is, or evaluate another model'
    case 'unpriced_model':
      return 'the model has no known price, and the namespace has a budget; clear budget_usd_month and resume the evaluation, or evaluate a model with a price'
    case 'budget_exceeded':
      return 'the budget of the namespace does not cover the next question; raise budget_usd_month and resume the evaluation'
    case 'quota_exhausted':
      return 'the quota of this month is used up; resume the evaluation when there is quota again'
    case 'privacy_blocked':
      return 'the privacy policy of the namespace refuses to send a row; change privacy_policy and resume the evaluation, or change the rows'
    case 'blocked_by_guardrail':
      return 'a guardrail of the namespace refuses to send a row; change the guardrail and resume the evaluation, or change the rows'
    case 'provider_rejected_request':
    case 'provider_invalid_response':
      return 'the provider refused a question or answered with something else; the answers so far are kept'
    case 'provider_rate_limited':
    case 'provider_overloaded':
    case 'provider_timeout':
    case 'provider_unreachable':
    case 'provider_interrupted':
      return 'the provider did not answer after many attempts; resume the evaluation, and no answer is asked for twice'
    case 'store_unavailable':
    case 'workflow_engine_unavailable':
      return 'the evaluation was given up after hours of trying, because a part of the service did not answer'
    default:
      return 'the evaluation ended before all rows were scored; start it again'
  }
}
