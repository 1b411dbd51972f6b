import { createMailActivities } from './mail/activities.ts'
import type { MailDeps } from './mail/deps.ts'
import { reconcileMails } from './mail/reconcile.ts'
import { createWebhookActivities } from './webhooks/activities.ts'
import type { WebhookDeps } from './webhooks/deps.ts'
import { reconcileWebhooks } from './webhooks/reconcile.ts'

/** Returns the activities of accounts by queue. */
export const accountsActivities = (deps: MailDeps & WebhookDeps) => ({
  io: { ...createMailActivities(deps), ...createWebhookActivities(deps) },
})

/** The chores that reconcile the families of accounts. */
export const ACCOUNTS_CHORES = [reconcileMails, reconcileWebhooks]
