import { CancelledFailure, Context } from '@temporalio/activity'
import { codeOfError, toApplicationFailure } from './failures.ts'
import type { ActivityLog } from './activity-log.ts'

/** What the body of an activity gets to work with. */
export interface RunningActivity {
  /** Aborts when the workflow cancels the activity, when it timed out, and when the worker shuts down. */
  readonly signal: AbortSignal
  readonly attempt: number
  /** Says where the activity is; stands beside it in Temporal's pages. Counts and step names only. */
  note(details: object): void
  /** Says that the activity waits for its turn, or that it no longer does: a waiting one tells of itself less often. */
  wait(isWaiting: boolean): void
}

const PULSE_MS = 1000
/** Of an activity that only waits, every third pulse goes out: still well within the timeout of heartbeats. */
const PULSES_OF_WAITING = 3

/**
 * Runs the body of an activity. While it runs, a heartbeat goes out every second, so that a dead worker is noticed and
 * a cancellation arrives; errors leave as failures of the code table, and an abort as the cancellation it is.
 */
export async function runActivity<T>(log: ActivityLog, body: (activity: RunningActivity) => Promise<T>): Promise<T> {
  const context = Context.current()
  const { attempt, activityType, workflowExecution } = context.info
  let noted: object | undefined
  let isWaiting = false
  let pulses = 0
  const pulse = setInterval(() => {
    if (isWaiting && ++pulses % PULSES_OF_WAITING !== 0) return
    context.heartbeat(isWaiting ? { step: 'wait for a compute slot' } : noted)
  }, PULSE_MS)
  try {
    return await body({
      signal: context.cancellationSignal,
      attempt,
      note: (details) => {
        noted = details
      },
      wait: (waits) => {
        isWaiting = waits
      },
    })
  } catch (error) {
    if (context.cancellationSignal.aborted) {
      throw error instanceof CancelledFailure ? error : new CancelledFailure('the activity was cancelled')
    }
    if (codeOfError(error) === 'internal') {
      // Temporal and its log get the code alone: what happened stands here and nowhere else.
      log.error(
        { err: error, activity: activityType, job: workflowExecution?.workflowId, attempt },
        'an activity failed',
      )
    }
    throw toApplicationFailure(error, attempt)
  } finally {
    clearInterval(pulse)
  }
}
