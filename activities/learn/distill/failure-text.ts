import type { ErrorCode } from '../../../core/learn/errors.ts'

/** Returns the text for people of a failure by its code. */
export function failureText(code: ErrorCode): string {
  switch (code) {
    case 'store_unavailable':
    case 'workflow_engine_unavailable':
      return 'the run was given up after hours of trying, because a part of the service did not answer'
    case 'compile_cancelled':
      return 'the run was cancelled'
    case 'capture_forgotten':
      return 'captures were forgotten while the run read them; start it again'
    default:
      return 'the run ended early; error_code says why, and job_id names its compile if it had one'
  }
}
