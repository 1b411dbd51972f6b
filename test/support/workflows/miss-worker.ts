import proto from '@temporalio/proto'
import type { TemporalClient } from '../../../temporal/client.ts'

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState

/**
 * Reports the activities of a killed worker as failed, as Temporal does by itself once their heartbeats are ten seconds
 * late, and takes the run away from the worker's sticky queue. Another worker continues with the run at once.
 */
export async function missWorker(temporal: TemporalClient, workflowId: string): Promise<void> {
  const { namespace, client } = temporal
  const { workflowService } = client.connection
  const execution = { workflowId }
  await workflowService.resetStickyTaskQueue({ namespace, execution })
  const { pendingActivities } = await workflowService.describeWorkflowExecution({ namespace, execution })
  for (const { activityId, state } of pendingActivities ?? []) {
    if (state !== PENDING_ACTIVITY_STATE_STARTED || activityId === undefined || activityId === null) continue
    await workflowService.respondActivityTaskFailedById({
      namespace,
      workflowId,
      activityId,
      identity: 'test',
      failure: { message: 'the worker was killed', applicationFailureInfo: { type: 'WorkerKilled' } },
    })
  }
}
