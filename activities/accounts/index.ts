import { createMailActivities } from './mail/activities.ts'
import type { MailDeps } from './mail/deps.ts'
import { reconcileMails } from './mail/reconcile.ts'

/** Returns the activities of accounts by queue. */
export const accountsActivities = (deps: MailDeps) => ({ io: createMailActivities(deps) })

/** The chores that reconcile the families of accounts. */
export const ACCOUNTS_CHORES = [reconcileMails]
