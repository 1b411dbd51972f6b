import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow'
import { QUEUES } from './names.ts'

/**
 * How activities are timed and retried, one entry per temper. Every activity sends heartbeats while it runs, so a
 * worker that was killed is noticed after `heartbeatTimeout`, long before the attempt's own limit. What never gets
 * better by repeating is marked non-retryable where it is thrown (activities/failures.ts).
 */

/** Stages that compute for seconds to minutes in threads. Cancelling one stops its thread. */
export const COMPUTE = {
  taskQueue: QUEUES.compile,
  startToCloseTimeout: '30 minutes',
  scheduleToCloseTimeout: '6 hours',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '15 seconds' },
} as const satisfies ActivityOptions

/** Stages that read and write Postgres: quick, and worth repeating for hours while it is away. */
export const STORE = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '10 minutes',
  scheduleToCloseTimeout: '6 hours',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '15 seconds' },
} as const satisfies ActivityOptions

/** Writing how a job ended. Without an end to its retries: a job that is over must not look as if it ran. */
export const FINISH = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '15 seconds' },
} as const satisfies ActivityOptions

/**
 * Housekeeping: it ends by itself after about a minute, but one statement under way may take another (the statement
 * timeout). Over before the next tick, or else skipped by it.
 */
export const HOUSEKEEPING = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '5 minutes',
  scheduleToStartTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 1 },
} as const satisfies ActivityOptions

/** Chores of a schedule: the next tick does what this one could not, so one attempt is enough. */
export const CHORE = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '2 minutes',
  scheduleToStartTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 1 },
} as const satisfies ActivityOptions
