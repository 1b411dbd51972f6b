import { defineErrors } from '../kernel/errors.ts'

/** Codes of what looks across areas: deletion, administration, health. */
export const OVERVIEW_ERRORS = defineErrors({
  confirm_mismatch: { status: 400, retryable: false },
  invalid_metrics_bearer: { status: 401, retryable: false },
  unknown_control_file: { status: 404, retryable: false },
})
