import { defineErrors } from '../kernel/errors.ts'
import type { ErrorCode as LearnErrorCode } from '../learn/errors.ts'

/** Error codes of features that span areas: deletion, administration, health. */
export const OVERVIEW_ERRORS = defineErrors({
  confirm_mismatch: { status: 400, retryable: false },
  invalid_metrics_bearer: { status: 401, retryable: false },
  unknown_control_file: { status: 404, retryable: false },
})

/** A machine code of this area or of one below it. */
export type ErrorCode = LearnErrorCode | keyof typeof OVERVIEW_ERRORS
