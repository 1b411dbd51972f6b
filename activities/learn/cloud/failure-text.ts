import type { ErrorCode } from '../../../core/learn/errors.ts'

/** Returns the text for people of a cloud job that could not begin, by its code. */
export function failureText(code: ErrorCode): string {
  switch (code) {
    case 'store_unavailable':
    case 'workflow_engine_unavailable':
      return 'the job was given up after hours of trying, because a part of the service did not answer; submit it again'
    default:
      return 'the job ended before it could begin; submit it again'
  }
}
