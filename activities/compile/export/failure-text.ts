import type { ErrorCode } from '../../../core/compile/errors.ts'

/** Returns the text for a failure whose own message was not stored. */
export function failureText(code: ErrorCode): string {
  switch (code) {
    case 'store_unavailable':
    case 'workflow_engine_unavailable':
      return 'the export was given up after hours of trying, because a part of the service did not answer'
    case 'export_failed':
      return 'the export ended before it was done; start it again'
    default:
      return 'the export failed for a reason that is not the fault of the artifact; start it again'
  }
}
