import { callTemporal, type TemporalClient } from './client.ts'

/**
 * `temporal.api.enums.v1.TaskQueueType`: workflows, activities. A worker that is busy may ask for one kind only.
 */
const QUEUE_TYPES = [1, 2] as const

/** A worker that polls a queue. */
export interface Poller {
  /** Identity that the worker states, such as `trainer@host:pid`. */
  readonly identity: string
  readonly lastHeard: Date
}

/**
 * Returns the pollers of a queue within the last minutes, which is as far back as Temporal remembers; a worker that polls
 * for workflows and activities comes once. Throws `workflow_engine_unavailable`.
 */
export async function listPollers(temporal: TemporalClient, queue: string): Promise<readonly Poller[]> {
  const { connection } = temporal.client
  const queues = await callTemporal(async () => {
    const asked = QUEUE_TYPES.map(async (taskQueueType) =>
      connection.workflowService.describeTaskQueue({
        namespace: temporal.namespace,
        taskQueue: { name: queue },
        taskQueueType,
      }),
    )
    return await Promise.all(asked)
  })
  const heardMs = new Map<string, number>()
  for (const { identity, lastAccessTime } of queues.flatMap(({ pollers }) => pollers)) {
    const name = identity ?? ''
    const atMs = Number(lastAccessTime?.seconds ?? 0) * 1000
    heardMs.set(name, Math.max(heardMs.get(name) ?? 0, atMs))
  }
  return [...heardMs].map(([identity, atMs]) => ({ identity, lastHeard: new Date(atMs) }))
}

/** Returns when a queue was last polled; null when no poller is known. Throws `workflow_engine_unavailable`. */
export async function lastHeard(temporal: TemporalClient, queue: string): Promise<Date | null> {
  const pollers = await listPollers(temporal, queue)
  return pollers.length === 0 ? null : new Date(Math.max(...pollers.map((poller) => poller.lastHeard.getTime())))
}
