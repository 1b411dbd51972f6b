import {
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import type { WebhookActivities } from '../../../activities/accounts/webhooks/activities.ts'
import { isErrorCode } from '../../../core/accounts/errors.ts'
import type { DeliveryState } from '../../../core/kernel/egress/webhooks/delivery.ts'
import type { WebhookDelivery } from '../../../core/accounts/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { FINISH, WEBHOOK } from '../../kernel/policies.ts'
import { changedSignal } from '../mail/messages.ts'

const post = proxyActivities<WebhookActivities>(WEBHOOK)
const finish = proxyActivities<WebhookActivities>(FINISH)

/** The outcome of a delivery; `nothing` when there was none to make. */
interface Outcome {
  readonly state: DeliveryState | 'nothing'
}

/**
 * Sends the message of one delivery to its hook, for a day while the hook is away or refuses it. A hook that is gone, at an
 * address that may not be called, or that took nothing within the day ends the row as failed, and fails the workflow with
 * the machine code as its type.
 */
export async function deliverWebhook(input: InputOf<typeof WebhookDelivery>): Promise<Outcome> {
  setHandler(changedSignal, () => undefined)
  const delivery = { deliveryId: workflowInfo().workflowId, tenantId: input.tenantId }
  const { state, errorCode } = await attempt(delivery)
  if (errorCode === undefined) return { state }
  throw ApplicationFailure.create({
    type: errorCode,
    message: `the hook did not get the message: ${errorCode}`,
    nonRetryable: true,
  })
}

async function attempt(delivery: {
  readonly deliveryId: string
  readonly tenantId: string
}): Promise<Outcome & { readonly errorCode?: string }> {
  try {
    return await post.sendWebhook.executeWithOptions({ ...WEBHOOK, summary: 'Send the message to the hook' }, [
      delivery,
    ])
  } catch (error) {
    // The day is over: whatever error the last attempt met, the message was not delivered.
    const isOver = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure
    const errorCode = isOver ? 'webhook_not_delivered' : codeOfFailure(error, isErrorCode)
    await finish.giveUpWebhook.executeWithOptions({ ...FINISH, summary: `Give up: ${errorCode}` }, [
      { ...delivery, errorCode },
    ])
    return { state: 'failed', errorCode }
  }
}
