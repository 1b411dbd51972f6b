import { KERNEL_ERRORS, isOneOf } from '../core/kernel/errors.ts'
import { familyOf } from '../core/workflows.ts'
import type { TemporalClient } from './client.ts'
import { cancelRun, signalChanged } from './runs.ts'
import { startWorkflow } from './start.ts'

/** A request for a workflow, as the outbox stores it. */
export interface StoredRequest {
  readonly workflowId: string
  readonly family: string
  readonly input: unknown
  readonly version: number
  readonly createdAt: Date
}

/** The outbox operations that starting workflows needs; see db/kernel/outbox. */
export interface OutboxPort {
  find(workflowId: string): Promise<StoredRequest | null>
  remove(request: StoredRequest): Promise<void>
}

/** Log for failures of background work. */
interface Log {
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/**
 * Carries out outbox requests. No caller waits for background work: a failed start keeps its row, and the reconciler
 * retries it.
 */
export interface Workflows {
  /**
   * Starts or signals the workflow that the outbox requests, and removes the request. Returns false when there is no
   * request, or when the run of this id is over. Throws `workflow_engine_unavailable` and `store_unavailable`.
   */
  start(workflowId: string): Promise<boolean>
  /** Does the same for a request that was already read. */
  carryOut(request: StoredRequest): Promise<boolean>
  /** Does the same in the background, right after the request's commit. */
  startSoon(workflowId: string): void
  /**
   * Cancels the run of a finished row in the background. Its activities also stop by themselves when they see the row.
   */
  cancelSoon(workflowId: string): void
  /** Signals a run in the background that rows which it watches have changed. A run that is over stays as it is. */
  changedSoon(workflowId: string): void
  /** Waits until the background work is done or has failed. */
  settle(): Promise<void>
}

/** Connects an outbox with Temporal. */
export function createWorkflows(deps: {
  readonly temporal: TemporalClient
  readonly outbox: OutboxPort
  readonly log: Log
}): Workflows {
  const { temporal, outbox, log } = deps
  const underWay = new Set<Promise<void>>()
  const inBackground = (workflowId: string, work: () => Promise<unknown>): void => {
    const task = work()
      .then(() => undefined)
      .catch((error: unknown) => {
        if (isOutage(error)) log.warn({ err: error, workflow: workflowId }, 'Temporal could not be reached')
        else log.error({ err: error, workflow: workflowId }, 'a call to Temporal failed')
      })
      .finally(() => underWay.delete(task))
    underWay.add(task)
  }
  const carryOut = async (request: StoredRequest): Promise<boolean> => {
    const family = familyOf(request.family)
    const isStarted = await startWorkflow(temporal, family, family.read(request.input))
    await outbox.remove(request)
    return isStarted
  }
  const start = async (workflowId: string): Promise<boolean> => {
    const request = await outbox.find(workflowId)
    return request === null ? false : await carryOut(request)
  }
  return {
    start,
    carryOut,
    startSoon: (workflowId) => inBackground(workflowId, async () => await start(workflowId)),
    cancelSoon: (workflowId) => inBackground(workflowId, async () => await cancelRun(temporal, workflowId)),
    changedSoon: (workflowId) => inBackground(workflowId, async () => await signalChanged(temporal, workflowId)),
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

function isOutage(error: unknown): boolean {
  return isOneOf(error, [KERNEL_ERRORS.workflow_engine_unavailable, KERNEL_ERRORS.store_unavailable])
}
