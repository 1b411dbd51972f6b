import type { ErrorCode } from '../../../core/compile/errors.ts'

/** Returns the text for people of a failure by its code. */
export function failureText(code: ErrorCode): string {
  switch (code) {
    case 'store_unavailable':
    case 'workflow_engine_unavailable':
      return 'the files were given up after hours of trying, because a part of the service did not answer'
    default:
      return 'indexing ended before it was done; files that were read stay, send the others again'
  }
}
