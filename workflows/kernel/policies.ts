import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow'
import { QUEUES } from '../../core/kernel/workflows/queues.ts'
import { TRAINER_QUEUE } from './names.ts'

/**
 * Timeouts and retries of activities, one entry per kind of work. Every activity sends heartbeats while it makes
 * progress, so a killed worker is noticed after `heartbeatTimeout`, long before the attempt's own limit. Permanent
 * errors are marked non-retryable where they are thrown (activities/kernel/failures.ts).
 */

/**
 * Stages that compute for seconds to minutes in threads. Cancelling one stops its thread. Their time includes the wait
 * for a compute slot in the worker (activities/compute-slot.ts).
 */
export const COMPUTE = {
  taskQueue: QUEUES.compile,
  startToCloseTimeout: '6 hours',
  scheduleToCloseTimeout: '24 hours',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '15 seconds' },
} as const satisfies ActivityOptions

/** The same in turns with other tenants, whose turns its time includes. */
export const COMPUTE_IN_TURNS = {
  ...COMPUTE,
  startToCloseTimeout: '72 hours',
  scheduleToCloseTimeout: '168 hours',
} as const satisfies ActivityOptions

/**
 * Requests to a frontier model: hours of waiting for a network, without a core. After a transient failure of the
 * provider the next attempt is a minute later, or as late as the provider asks; the activity itself gives such a
 * provider up.
 */
export const ASK = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '3 hours',
  scheduleToCloseTimeout: '12 hours',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const satisfies ActivityOptions

/**
 * Fitting an adapter here: minutes to hours in a thread, with checkpoints, so an attempt that ends early costs little.
 * A dead worker is noticed as usual. Its time includes the turns of other tenants' fits.
 */
export const FIT = {
  ...COMPUTE,
  taskQueue: QUEUES.fit,
  startToCloseTimeout: '72 hours',
  scheduleToCloseTimeout: '168 hours',
} as const satisfies ActivityOptions

/**
 * Fitting an adapter in an external trainer, which may have other fits to do first. `watchTrainer` reports a missing
 * one.
 */
export const FIT_OUTSIDE = {
  ...FIT,
  taskQueue: TRAINER_QUEUE,
  startToCloseTimeout: '24 hours',
  scheduleToCloseTimeout: '72 hours',
  scheduleToStartTimeout: '24 hours',
  heartbeatTimeout: '30 seconds',
} as const satisfies ActivityOptions

/** Watching an external trainer: its reports are for people, and when it is missing, the fit is given up. */
export const WATCH = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '72 hours',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const satisfies ActivityOptions

/** Stages that read and write Postgres: quick, and worth retrying for hours while it is away. */
export const STORE = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '10 minutes',
  scheduleToCloseTimeout: '6 hours',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '15 seconds' },
} as const satisfies ActivityOptions

/** Writing the outcome of a job. Retried without end: a job that is over must not look as if it ran. */
export const FINISH = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '15 seconds' },
} as const satisfies ActivityOptions

/** Renting a machine: an order of unknown outcome is looked for before another is made. */
export const RENT = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '30 minutes',
  scheduleToCloseTimeout: '2 hours',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 seconds' },
} as const satisfies ActivityOptions

/** Ending rented machines: as soon as the provider answers. After an hour the chore `rentals` continues with it. */
export const TEAR_DOWN = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '5 seconds' },
} as const satisfies ActivityOptions

/**
 * Housekeeping: it ends by itself after about a minute, but one statement under way may take another (the statement
 * timeout). It ends before the next tick, or the tick is skipped.
 */
export const HOUSEKEEPING = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '5 minutes',
  scheduleToStartTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 1 },
} as const satisfies ActivityOptions

/** Removing a tenant's data: as long as it takes; each attempt does some of the steps. */
export const PURGE = {
  ...FINISH,
  startToCloseTimeout: '1 hour',
  retry: { ...FINISH.retry, maximumInterval: '5 minutes' },
} as const satisfies ActivityOptions

/** Chores of a schedule. Each brings its own limits (activities/kernel/chores); the next tick does the rest. */
export const CHORE = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '2 minutes',
  scheduleToStartTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumAttempts: 2 },
} as const satisfies ActivityOptions

/** All chores of a schedule in one activity, for runs of earlier versions. */
export const EARLIER_CHORE = {
  ...CHORE,
  retry: { maximumAttempts: 1 },
} as const satisfies ActivityOptions

/** Handing a mail to a server that may be away: for a day, at growing intervals. After that the mail is given up. */
export const MAIL = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '2 minutes',
  scheduleToCloseTimeout: '24 hours',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 hour' },
} as const satisfies ActivityOptions

/**
 * Sending a message to a customer's hook, which may be away: for a day, at growing intervals, or as late as the hook asks.
 * After that the delivery is given up.
 */
export const WEBHOOK = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '24 hours',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumInterval: '4 hours' },
} as const satisfies ActivityOptions

/** Notifying the payment processor of a change that must reach it and may be sent twice: for a day. */
export const PROCESSOR = {
  taskQueue: QUEUES.io,
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '24 hours',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const satisfies ActivityOptions

/** The same for a change without a waiting caller: a few attempts, then another workflow takes it over. */
export const BEST_EFFORT = {
  ...PROCESSOR,
  retry: { ...PROCESSOR.retry, maximumAttempts: 3 },
} as const satisfies ActivityOptions
