import { WebhookDelivery } from '../../../core/accounts/workflows.ts'
import { claimDueWebhooks } from '../../../db/accounts/across/due-webhooks.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'

/** Sends messages to hooks that are still due, also when their run was lost. */
export const reconcileWebhooks = reconciles({
  family: WebhookDelivery,
  open: async ({ db }, page) => await claimDueWebhooks(db, page),
})
