import { callTemporal, type TemporalClient } from './client.ts'

/**
 * `temporal.api.enums.v1.TaskQueueType`: workflows, activities. A worker that is busy may ask for one kind only.
 */
const QUEUE_TYPES = [1, 2] as const

/**
 * Returns when a queue was last polled; null when it was not polled within the last minutes, which is as far back as
 * Temporal remembers. Throws `workflow_engine_unavailable`.
 */
export async function lastHeard(temporal: TemporalClient, queue: string): Promise<Date | null> {
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
  const heardMs = queues
    .flatMap(({ pollers }) => pollers)
    .map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000)
  return heardMs.length === 0 ? null : new Date(Math.max(...heardMs))
}
