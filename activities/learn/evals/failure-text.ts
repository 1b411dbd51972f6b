import type { ErrorCode } from '../../../core/errors.ts'

/** Returns the text for people of a failure by its code. */
export function failureText(code: ErrorCode): string {
  switch (code) {
    case 'context_exceeded':
      return "max_gen_toks or a continuation is longer than the base's context"
    case 'not_found':
    case 'artifact_revoked':
      return 'the artifact was removed or revoked before all rows were scored'
    case 'store_unavailable':
    case 'workflow_engine_unavailable':
      return 'the evaluation was given up after hours of trying, because a part of the service did not answer'
    default:
      return 'the evaluation ended before all rows were scored; start it again'
  }
}
