import type { ErrorCode } from '../../../core/learn/errors.ts'

/** Returns the text for people of a failure by its code. */
export function failureText(code: ErrorCode): string {
  switch (code) {
    case 'not_found':
    case 'artifact_revoked':
      return 'the artifact was removed or revoked before it was measured'
    case 'context_exceeded':
      return 'max_tokens leaves no room for a prompt in the context of the base'
    default:
      return 'the measurement ended before its last call; start it again'
  }
}
