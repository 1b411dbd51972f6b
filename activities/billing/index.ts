import { createBillingActivities } from './billing/activities.ts'
import type { BillingDeps } from './billing/deps.ts'
import { reconcileBilling, reconcileDunnings } from './billing/reconcile.ts'

/** Returns the activities of billing by queue. */
export const billingActivities = (deps: BillingDeps) => ({ io: createBillingActivities(deps) })

/** The chores that reconcile the families of billing. */
export const BILLING_CHORES = [reconcileBilling, reconcileDunnings]
