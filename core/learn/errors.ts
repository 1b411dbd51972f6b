import { defineErrors } from '../kernel/errors.ts'
import type { ErrorCode as CompileErrorCode } from '../compile/errors.ts'

/** Codes of what is learned from traffic, and of plans. */
export const LEARN_ERRORS = defineErrors({
  too_few_observations: { status: 400, retryable: false },
  weak_clusters_required: { status: 400, retryable: false },
  benchmark_evidence_incomplete: { status: 422, retryable: false },
  bad_target: { status: 400, retryable: false },
  deploy_target_not_available: { status: 409, retryable: false },
})

/** A machine code of this area or of one below it. */
export type ErrorCode = CompileErrorCode | keyof typeof LEARN_ERRORS
