import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow'
import { isErrorCode, type ErrorCode } from '../../core/errors.ts'

/**
 * The machine code that an activity failed with. A failure that carries none of ours, such as a time limit that was
 * passed, is `internal`.
 */
export function codeOfFailure(error: unknown): ErrorCode {
  const cause = error instanceof ActivityFailure ? error.cause : error
  const type = cause instanceof ApplicationFailure ? cause.type : undefined
  return isErrorCode(type) ? type : 'internal'
}

/** True when nobody took the work up in time. */
export function isNeverStarted(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : error
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START'
}
