import type { Payload } from '@temporalio/common'
import { QUEUES } from '../core/kernel/workflows/queues.ts'
import { FIT_ACTIVITY, TRAINER_QUEUE } from '../workflows/kernel/names.ts'
import { callTemporal, type TemporalClient } from './client.ts'
import { listPollers, type Poller } from './pollers.ts'

/** A worker polls again within a minute; one that has not polled for longer is gone. */
const HEARD_WITHIN_MS = 75_000

/**
 * Returns true when a trainer is present, idle or busy: a busy one does not poll for activities, but keeps polling for
 * workflows, of which its queue has none. Throws `workflow_engine_unavailable`.
 */
export async function isTrainerListening(temporal: TemporalClient, now: Date): Promise<boolean> {
  return (await listListening(temporal, TRAINER_QUEUE, now)).length > 0
}

/**
 * Returns the workers that fit adapters now: those of this program, and those of the Python trainer. Throws
 * `workflow_engine_unavailable`.
 */
export async function listFitters(
  temporal: TemporalClient,
  now: Date,
): Promise<{ readonly embedded: readonly Poller[]; readonly external: readonly Poller[] }> {
  const [embedded, external] = await Promise.all([
    listListening(temporal, QUEUES.fit, now),
    listListening(temporal, TRAINER_QUEUE, now),
  ])
  return { embedded, external }
}

async function listListening(temporal: TemporalClient, queue: string, now: Date): Promise<readonly Poller[]> {
  const pollers = await listPollers(temporal, queue)
  return pollers.filter((poller) => now.getTime() - poller.lastHeard.getTime() < HEARD_WITHIN_MS)
}

/** Returns the last heartbeat of a job's fit; undefined when there is none. Throws `workflow_engine_unavailable`. */
export async function findHeartbeat(temporal: TemporalClient, jobId: string): Promise<unknown> {
  return await callTemporal(async () => {
    const { raw } = await temporal.client.workflow.getHandle(jobId).describe()
    const activity = raw.pendingActivities?.find(({ activityType }) => activityType?.name === FIT_ACTIVITY)
    return await decode(temporal, activity?.heartbeatDetails?.payloads ?? [])
  })
}

async function decode(temporal: TemporalClient, payloads: readonly Payload[]): Promise<unknown> {
  const { payloadCodecs, payloadConverter } = temporal.client.options.loadedDataConverter
  let decoded = [...payloads]
  for (const codec of payloadCodecs.toReversed()) decoded = await codec.decode(decoded)
  const [first] = decoded
  return first === undefined ? undefined : payloadConverter.fromPayload(first)
}
