import { defineErrors } from '../kernel/errors.ts'
import type { ErrorCode as CompileErrorCode } from '../compile/errors.ts'

/** Codes of datasets, and of what is learned from traffic. */
export const LEARN_ERRORS = defineErrors({
  too_few_observations: { status: 400, retryable: false },
  empty_dataset: { status: 400, retryable: false },
  unknown_rows: { status: 400, retryable: false },
  dataset_split_error: { status: 400, retryable: false },
  dataset_building: { status: 409, retryable: true },
  dataset_failed: { status: 500, retryable: true },
})

/** A machine code of this area or of one below it. */
export type ErrorCode = CompileErrorCode | keyof typeof LEARN_ERRORS
