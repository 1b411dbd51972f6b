import { codesAbove, defineErrors } from '../kernel/errors.ts'
import { isErrorCode as isModelErrorCode, type ErrorCode as ModelErrorCode } from '../model/errors.ts'

/** Codes of receipts and their secrets. */
export const LEDGER_ERRORS = defineErrors({
  malformed_receipt: { status: 400, retryable: false },
  unknown_receipt_key: { status: 400, retryable: false },
  signature_mismatch: { status: 409, retryable: false },
  cannot_prune_current_key: { status: 409, retryable: false },
  too_many_keys: { status: 409, retryable: false },
  receipt_secret_rotated: { status: 410, retryable: false },
})

/** A machine code of this area or of one below it. */
export type ErrorCode = ModelErrorCode | keyof typeof LEDGER_ERRORS

/** True for a text that is such a code. */
export const isErrorCode = codesAbove(isModelErrorCode, LEDGER_ERRORS)
