import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure, TimeoutFailure } from '@temporalio/workflow'
import { isErrorCode, type ErrorCode } from '../../core/errors.ts'

/**
 * Returns the machine code of a failed activity or child. A failure without one of our codes, such as a timeout, is `internal`.
 */
export function codeOfFailure(error: unknown): ErrorCode {
  const cause = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure ? error.cause : error
  const type = cause instanceof ApplicationFailure ? cause.type : undefined
  return isErrorCode(type) ? type : 'internal'
}

/** Returns true when no worker picked the work up in time. */
export function isNeverStarted(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : error
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START'
}
