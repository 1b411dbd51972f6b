import { runActivity } from '../../kernel/run-activity.ts'
import type { WebhookDeps } from './deps.ts'
import { giveUpWebhook, sendWebhook, type DeliveryRef, type SendOutcome } from './send-webhook.ts'

/** The activities that send messages to hooks. */
export const createWebhookActivities = (deps: WebhookDeps) => ({
  sendWebhook: (ref: DeliveryRef): Promise<SendOutcome> =>
    runActivity(deps.log, (activity) => sendWebhook(deps, ref, activity)),
  /** Ends a delivery that could not be made within a day, or never will be. */
  giveUpWebhook: (input: DeliveryRef & { readonly errorCode: string }): Promise<void> =>
    runActivity(deps.log, () => giveUpWebhook(deps, input)),
})

/** The activities of deliveries, as their workflow sees them. */
export type WebhookActivities = ReturnType<typeof createWebhookActivities>
