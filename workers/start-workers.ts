import { hostname } from 'node:os'
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker'
import type { ServiceEnvironment } from '../config/environment.ts'
import type { Logger } from '../config/logger.ts'
import type { TemporalYaml } from '../config/temporal-yaml.ts'
import { createDataConverter } from '../temporal/data-converter.ts'
import { QUEUES, type QueueName } from '../core/kernel/workflows/queues.ts'
import { activitiesOf } from './activities.ts'
import type { WorkerDeps } from './deps.ts'
import { keepRunning, type Running } from './keep-running.ts'
import { untilAvailable } from './until-available.ts'

/** After this time a shutdown cancels the work that still runs, and then ends without waiting for it; milliseconds. */
const SHUTDOWN_GRACE_MS = 10_000
const SHUTDOWN_FORCE_MS = 20_000
/**
 * A cancellation reaches an activity with the reply to its next heartbeat, so heartbeats are throttled only briefly.
 */
const HEARTBEAT_THROTTLE_MS = 1000
/** Time that a task waits for the worker that has the run cached; short, since that worker may have been killed. */
const STICKY_MS = 5000
/** Runs whose state a worker caches between tasks; the SDK's default follows the heap and allows thousands. */
const CACHED_RUNS = 300

/** Inputs of the workers of a process. */
export interface WorkersOptions {
  readonly environment: Pick<ServiceEnvironment, 'temporalAddress' | 'codecKey'>
  /** The workflow code as one script, made for the data converter of this key. */
  readonly workflowBundle: NonNullable<WorkerOptions['workflowBundle']>
  readonly namespace: string
  readonly queues: TemporalYaml['queues']
  readonly deps: WorkerDeps
  readonly log: Logger
}

/** The workers of a process, polling. */
export interface RunningWorkers {
  /**
   * Resolves when the workers have stopped. Rejects when they cannot be set up again for a reason other than an outage.
   */
  readonly done: Promise<void>
  /** Stops polling, lets running work finish for a while, and stops. Never rejects. */
  stop(): Promise<void>
}

/**
 * Starts one worker per task queue that this program serves. `compile` runs workflow code and the stages that compute,
 * `fit` the fits of adapters, `io` work that waits for others; `evidence` and `lora-fit-gpu` have no activities here
 * yet and get no worker. Waits while Temporal does not answer, and restarts workers that end with an error. They stop
 * when `abort` is aborted; throws when it is aborted before they run.
 */
export async function startWorkers(options: WorkersOptions, abort: AbortSignal): Promise<RunningWorkers> {
  const { environment, log } = options
  const stopping = new AbortController()
  const signal = AbortSignal.any([abort, stopping.signal])
  const dataConverter = createDataConverter(environment.codecKey)
  const shared = {
    namespace: options.namespace,
    dataConverter,
    identity: `worker@${hostname()}:${process.pid}`,
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
    shutdownForceTime: SHUTDOWN_FORCE_MS,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    defaultHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    stickyQueueScheduleToStartTimeout: STICKY_MS,
  } as const satisfies Partial<WorkerOptions>
  const connect = (): Promise<Running> =>
    untilAvailable(`Temporal at ${environment.temporalAddress}`, { log, signal }, async () => {
      const connection = await NativeConnection.connect({ address: environment.temporalAddress })
      try {
        const made: Worker[] = []
        for (const queue of Object.values(QUEUES)) {
          made.push(await Worker.create({ ...shared, connection, ...queueOptions(options, queue) }))
        }
        return { run: (until) => runUntil(until, made), close: () => connection.close() }
      } catch (error) {
        await connection.close()
        throw error
      }
    })

  const done = keepRunning(await connect(), connect, { log, signal })
  return {
    done,
    async stop() {
      stopping.abort()
      await done.catch(() => undefined)
    },
  }
}

/** Runs workers until the signal has stopped all of them; when one fails, stops the others and throws its error. */
async function runUntil(signal: AbortSignal, workers: readonly Worker[]): Promise<void> {
  const running = workers.map(async (worker) => {
    try {
      await worker.run()
    } catch (error) {
      stopAll(workers)
      throw error
    }
  })
  const stop = (): void => stopAll(workers)
  // A worker that never ran cannot be closed, so one that comes too late runs and is stopped at once.
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  const ends = await Promise.allSettled(running)
  signal.removeEventListener('abort', stop)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

function stopAll(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
}

function queueOptions(
  { queues, deps, workflowBundle }: WorkersOptions,
  queue: QueueName,
): Pick<WorkerOptions, 'taskQueue'> & Partial<WorkerOptions> {
  const declared = queues[queue]
  if (declared === undefined) throw new Error(`temporal.yaml declares no queue ${queue}`)
  const shared = { taskQueue: queue, maxConcurrentActivityTaskExecutions: declared.activities }
  const workflows = {
    workflowBundle,
    maxConcurrentWorkflowTaskExecutions: declared.workflowTasks,
    maxCachedWorkflows: CACHED_RUNS,
  }
  return {
    ...shared,
    ...(queue !== 'fit' && workflows),
    activities: activitiesOf(deps, queue),
  }
}
