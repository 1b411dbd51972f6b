import { isErrorCode, type ErrorCode } from '../../../../core/learn/errors.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { explainFailure } from '../../../../db/kernel/faults/failures.ts'
import { codeOfError } from '../../../kernel/failures.ts'
import type { ActivityLog } from '../../../kernel/activity-log.ts'
import type { RunningActivity } from '../../../kernel/run-activity.ts'

/** Attempts after which an unexpected error is taken for a lasting one. */
const UNFORESEEN_ATTEMPTS = 5
/** Attempts after which a failure that may pass is no longer waited for: about half an hour. */
const TRANSIENT_ATTEMPTS = 100

/** A figure that a manifest names as not measured, with the reason. */
export interface NotMeasured {
  readonly measured: false
  readonly error_code: ErrorCode
}

/** The outcome of measuring. */
export type Measured<T> =
  | { readonly found: T; readonly missing: null }
  | { readonly found: null; readonly missing: NotMeasured }

/**
 * Measures something of a student whose compile is over. A failure that lasts is an outcome, since what was signed stays signed; one that
 * may pass is thrown, so that the activity is tried again. Throws when the activity is to end, too.
 */
export async function measured<T>(
  log: ActivityLog,
  activity: Pick<RunningActivity, 'signal' | 'attempt'>,
  measure: () => Promise<T>,
): Promise<Measured<T>> {
  try {
    return { found: await measure(), missing: null }
  } catch (error) {
    if (activity.signal.aborted || mayPass(error, activity.attempt)) throw error
    const code = codeOfError(error, isErrorCode)
    log.error({ ...(code === 'internal' && { err: error }), code }, 'a student was not measured')
    return { found: null, missing: { measured: false, error_code: code } }
  }
}

function mayPass(error: unknown, attempt: number): boolean {
  const explained = explainFailure(error)
  if (!(explained instanceof DomainError) || explained.code === 'internal') return attempt < UNFORESEEN_ATTEMPTS
  return explained.facts.retryable && attempt < TRANSIENT_ATTEMPTS
}
