import { defineErrors } from '../kernel/errors.ts'
import type { ErrorCode as CompileErrorCode } from '../compile/errors.ts'

/** Codes of what is learned from traffic, of gates and of holdouts. */
export const LEARN_ERRORS = defineErrors({
  too_few_observations: { status: 400, retryable: false },
  eval_gate_failed: { status: 400, retryable: false },
  holdout_exists: { status: 409, retryable: false },
  holdout_sealed: { status: 409, retryable: false },
  holdout_revealed: { status: 409, retryable: false },
  holdout_busy: { status: 409, retryable: true },
  holdout_exhausted: { status: 409, retryable: false },
  holdout_too_large: { status: 413, retryable: false },
  gate_failed: { status: 500, retryable: true },
})

/** A machine code of this area or of one below it. */
export type ErrorCode = CompileErrorCode | keyof typeof LEARN_ERRORS
