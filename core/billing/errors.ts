import { codesAbove, defineErrors } from '../kernel/errors.ts'
import { isErrorCode as isAccountsErrorCode, type ErrorCode as AccountsErrorCode } from '../accounts/errors.ts'

/** Codes of plans, quota and payment. */
export const BILLING_ERRORS = defineErrors({
  invalid_period: { status: 400, retryable: false },
  invalid_signature: { status: 400, retryable: false },
  quota_exhausted: { status: 402, retryable: false },
  no_payment_customer: { status: 409, retryable: false },
  charge_mismatch: { status: 409, retryable: false },
  processor_failed: { status: 502, retryable: true },
  billing_not_configured: { status: 503, retryable: false, isExpected: true },
})

/** A machine code of this area or of one below it. */
export type ErrorCode = AccountsErrorCode | keyof typeof BILLING_ERRORS

/** True for a text that is such a code. */
export const isErrorCode = codesAbove(isAccountsErrorCode, BILLING_ERRORS)
