import type { ErrorCode } from '../../../core/learn/errors.ts'

/** Returns the text for people of a failure by its code. */
export function failureText(code: ErrorCode): string {
  switch (code) {
    case 'store_unavailable':
    case 'workflow_engine_unavailable':
      return 'the version was given up after hours of trying, because a part of the service did not answer'
    default:
      return 'the build ended before it was done; start it again'
  }
}
