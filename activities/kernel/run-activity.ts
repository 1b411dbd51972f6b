import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity'
import { factsOfError, toApplicationFailure } from './failures.ts'
import type { ActivityLog } from './activity-log.ts'

/** Context of an activity's body. */
export interface RunningActivity {
  /**
   * Aborts when the workflow cancels the activity, when it times out or makes no progress, and when the worker shuts
   * down.
   */
  readonly signal: AbortSignal
  readonly attempt: number
  /** Sets the details shown beside the activity in Temporal's pages: counts and step names only. Reports progress. */
  note(details: object): void
  /** Reports progress: one more piece of the work is done. */
  readonly progress: () => void
  /** Marks the activity as waiting for its turn, or as running again: a waiting one sends fewer heartbeats. */
  wait(isWaiting: boolean): void
}

/** Settings for watching an activity. */
export interface ActivityOptions {
  /** Longest time between two reports of progress, milliseconds; `STILL_MS` when absent. */
  readonly stillMs?: number
}

const PULSE_MS = 1000
/** A waiting activity sends every third heartbeat: still well within the heartbeat timeout. */
const PULSES_OF_WAITING = 3
/**
 * Time without progress after which an activity counts as hung. Work that takes longer in one piece declares its own
 * time; a database statement takes 70 seconds at most.
 */
const STILL_MS = 150_000
/** The same for work in threads, whose steps may take many minutes each. */
export const COMPUTE_STILL_MS = 30 * 60_000

/**
 * Runs the body of an activity. While it makes progress, a heartbeat goes out every second, so that a dead worker is
 * noticed and a cancellation arrives. Errors become failures of the code table, an abort becomes a cancellation. A body
 * without progress for its declared time is aborted and the attempt fails, so that Temporal gives the next one to any
 * worker.
 */
export async function runActivity<T>(
  log: ActivityLog,
  body: (activity: RunningActivity) => Promise<T>,
  { stillMs = STILL_MS }: ActivityOptions = {},
): Promise<T> {
  const context = Context.current()
  const { attempt, activityType, workflowExecution } = context.info
  const facts = { activity: activityType, job: workflowExecution?.workflowId, attempt }
  const stalled = new AbortController()
  const stall = Promise.withResolvers<never>()
  // Without a listener a rejection after the end of the race would end the process.
  stall.promise.catch(() => undefined)
  let noted: object | undefined
  let isWaiting = false
  let pulses = 0
  let progressedAt = performance.now()
  const progress = (): void => {
    progressedAt = performance.now()
  }
  const pulse = setInterval(() => {
    if (!isWaiting && performance.now() - progressedAt > stillMs) {
      clearInterval(pulse)
      const failure = standstill(stillMs)
      stall.reject(failure)
      stalled.abort(failure)
      return
    }
    if (isWaiting && ++pulses % PULSES_OF_WAITING !== 0) return
    context.heartbeat(isWaiting ? { step: 'wait for a compute slot' } : noted)
  }, PULSE_MS)
  try {
    const work = body({
      signal: AbortSignal.any([context.cancellationSignal, stalled.signal]),
      attempt,
      note: (details) => {
        noted = details
        progress()
      },
      progress,
      wait: (waits) => {
        isWaiting = waits
        progress()
      },
    })
    return await Promise.race([work, stall.promise])
  } catch (error) {
    if (context.cancellationSignal.aborted) {
      throw error instanceof CancelledFailure ? error : new CancelledFailure('the activity was cancelled')
    }
    if (stalled.signal.aborted) {
      log.error({ ...facts, still_ms: stillMs }, 'an activity made no progress and is tried again')
      throw stalled.signal.reason
    }
    // Temporal and its log get only the code: the details are logged here and nowhere else.
    if (factsOfError(error).code === 'internal') log.error({ err: error, ...facts }, 'an activity failed')
    throw toApplicationFailure(error, attempt)
  } finally {
    clearInterval(pulse)
  }
}

function standstill(stillMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'internal',
    message: `no progress for ${Math.round(stillMs / 1000)} s; the next attempt may run on another worker`,
  })
}
