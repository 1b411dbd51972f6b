import { codesAbove, defineErrors } from '../kernel/errors.ts'
import { isErrorCode as isLedgerErrorCode, type ErrorCode as LedgerErrorCode } from '../ledger/errors.ts'

/** Codes of people, keys, sessions, organisations and sign-in. */
export const ACCOUNTS_ERRORS = defineErrors({
  unknown_scope: { status: 400, retryable: false },
  unknown_plan: { status: 400, retryable: false },
  invalid_value: { status: 400, retryable: false },
  identity_metadata_required: { status: 400, retryable: false },
  unsupported_provider: { status: 400, retryable: false },
  invalid_identity_config: { status: 400, retryable: false },
  no_fields: { status: 400, retryable: false },
  webhook_address_refused: { status: 400, retryable: false },
  invalid_token: { status: 400, retryable: false },
  saml_response_refused: { status: 401, retryable: false },
  oidc_response_refused: { status: 401, retryable: false },
  plan_upgrade_required: { status: 402, retryable: false },
  seat_limit: { status: 402, retryable: false },
  enterprise_only: { status: 402, retryable: false },
  forbidden: { status: 403, retryable: false },
  signup_disabled: { status: 403, retryable: false },
  ownership_proof_required: { status: 403, retryable: false },
  account_link_required: { status: 403, retryable: false },
  email_unverified: { status: 403, retryable: false },
  sso_tenant_not_resolved: { status: 404, retryable: false },
  email_exists: { status: 409, retryable: false },
  duplicate: { status: 409, retryable: false },
  jobs_running: { status: 409, retryable: false },
  ambiguous_prefix: { status: 409, retryable: false },
  limit_reached: { status: 409, retryable: false },
  last_owner: { status: 409, retryable: false },
  endpoint_deprecated: { status: 410, retryable: false },
  invitation_expired: { status: 410, retryable: false },
  token_expired: { status: 410, retryable: false },
  webhook_gone: { status: 410, retryable: false },
  sso_not_configured: { status: 501, retryable: false, isExpected: true },
  mail_not_delivered: { status: 502, retryable: true },
  webhook_not_delivered: { status: 502, retryable: true },
  identity_provider_failed: { status: 502, retryable: false, isElsewhere: true },
  oauth_not_configured: { status: 503, retryable: false, isExpected: true },
  mail_not_configured: { status: 503, retryable: false, isExpected: true },
  saml_not_configured: { status: 503, retryable: false, isExpected: true },
})

/** A machine code of this area or of one below it. */
export type ErrorCode = LedgerErrorCode | keyof typeof ACCOUNTS_ERRORS

/** True for a text that is such a code. */
export const isErrorCode = codesAbove(isLedgerErrorCode, ACCOUNTS_ERRORS)
