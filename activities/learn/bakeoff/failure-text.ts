import type { ErrorCode } from '../../../core/learn/errors.ts'

/** Returns the text for people of a failure by its code, where the failure itself has none that may be shown. */
export function failureText(code: ErrorCode): string {
  switch (code) {
    case 'not_found':
    case 'artifact_revoked':
      return 'it was removed or revoked before all rows were answered'
    case 'store_unavailable':
    case 'workflow_engine_unavailable':
      return 'given up after hours of trying, because a part of the service did not answer'
    default:
      return 'it ended before all rows were answered; start it again'
  }
}
