import type { Payload } from '@temporalio/common'
import { FIT_ACTIVITY, TRAINER_QUEUE } from '../workflows/kernel/names.ts'
import { callTemporal, type TemporalClient } from './client.ts'
import { lastHeard } from './pollers.ts'

/** A worker polls again within a minute; one that has not polled for longer is gone. */
const HEARD_WITHIN_MS = 75_000

/**
 * Returns true when a trainer is present, idle or busy: a busy one does not poll for activities, but keeps polling for
 * workflows, of which its queue has none. Throws `workflow_engine_unavailable`.
 */
export async function isTrainerListening(temporal: TemporalClient, now: Date): Promise<boolean> {
  const heard = await lastHeard(temporal, TRAINER_QUEUE)
  return heard !== null && now.getTime() - heard.getTime() < HEARD_WITHIN_MS
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
