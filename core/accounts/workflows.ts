import { z } from 'zod'
import { defineWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Delivers one mail. Its id is the mail's. */
export const Mail = defineWorkflow({
  name: 'mail',
  queue: 'io',
  start: 'wake',
  input: z.object({ mailId: z.string(), tenantId: z.string().nullable() }),
  id: ({ mailId }) => mailId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ mailId }) => `Deliver mail ${mailId}`,
})

/** Sends one message to a hook. Its id is the delivery's, which is the `webhook-id` of each attempt. */
export const WebhookDelivery = defineWorkflow({
  name: 'webhook-delivery',
  queue: 'io',
  start: 'wake',
  input: z.object({ deliveryId: z.string(), tenantId: z.string(), kind: z.string() }),
  id: ({ deliveryId }) => deliveryId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ deliveryId, kind }) => `Send ${kind} to a hook as ${deliveryId}`,
})
