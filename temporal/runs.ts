import { WorkflowNotFoundError, type WorkflowExecutionStatusName } from '@temporalio/client'
import { SIGNALS } from '../workflows/kernel/names.ts'
import { callTemporal, type TemporalClient } from './client.ts'

/** State of a job's workflow; `missing` when Temporal knows none. */
export type RunState =
  | 'running'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'terminated'
  | 'timed-out'
  | 'missing'
  | 'unknown'

/** Returns Temporal's state of a workflow id. Throws `workflow_engine_unavailable`. */
export async function findRun(temporal: TemporalClient, workflowId: string): Promise<RunState> {
  return await whenFound<RunState>('missing', async () => {
    const { status } = await temporal.client.workflow.getHandle(workflowId).describe()
    return STATES[status.name]
  })
}

/**
 * Requests the cancellation of a run. A finished run stays as it is. Returns false when Temporal knows no such
 * workflow. Throws `workflow_engine_unavailable`.
 */
export async function cancelRun(temporal: TemporalClient, workflowId: string): Promise<boolean> {
  return await whenFound(false, async () => {
    await temporal.client.workflow.getHandle(workflowId).cancel()
    return true
  })
}

/**
 * Signals a run that rows which it watches have changed. Returns false when no such workflow runs. Throws
 * `workflow_engine_unavailable`.
 */
export async function signalChanged(temporal: TemporalClient, workflowId: string): Promise<boolean> {
  return await whenFound(false, async () => {
    await temporal.client.workflow.getHandle(workflowId).signal(SIGNALS.changed)
    return true
  })
}

/**
 * Returns the ids of the running workflows of a type from Temporal's list. The list lags by a moment, so neither a
 * missing id nor a listed one proves anything. Throws `workflow_engine_unavailable`.
 */
export async function listRunning(temporal: TemporalClient, workflowType: string): Promise<ReadonlySet<string>> {
  return await callTemporal(async () => {
    const ids = new Set<string>()
    const query = `WorkflowType = '${workflowType}' AND ExecutionStatus = 'Running'`
    for await (const run of temporal.client.workflow.list({ query, pageSize: 1000 })) ids.add(run.workflowId)
    return ids
  }, LIST_DEADLINE_MS)
}

/** Returns the result of `call`, or `otherwise` when Temporal knows no such workflow. */
export async function whenFound<T>(otherwise: T, call: () => Promise<T>): Promise<T> {
  try {
    return await callTemporal(call)
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return otherwise
    throw error
  }
}

const LIST_DEADLINE_MS = 30_000

const STATES: Readonly<Record<WorkflowExecutionStatusName, RunState>> = {
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed-out',
  CONTINUED_AS_NEW: 'running',
  PAUSED: 'running',
  UNSPECIFIED: 'unknown',
  UNKNOWN: 'unknown',
}
