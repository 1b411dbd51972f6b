import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure, TimeoutFailure } from '@temporalio/workflow'

/**
 * Returns the machine code of a failed activity or child, one that `isCode` takes. A failure without such a code, such as a
 * timeout, is `internal`.
 */
export function codeOfFailure<Code extends string>(
  error: unknown,
  isCode: (text: unknown) => text is Code,
): Code | 'internal' {
  const cause = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure ? error.cause : error
  const type = cause instanceof ApplicationFailure ? cause.type : undefined
  return isCode(type) ? type : 'internal'
}

/** Returns true when no worker picked the work up in time. */
export function isNeverStarted(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : error
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START'
}
