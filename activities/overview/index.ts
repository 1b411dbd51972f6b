import { createDeletionActivities } from './deletion/activities.ts'
import type { DeletionDeps } from './deletion/deps.ts'
import type { ReconcileAllDeps } from './reconcile/chores.ts'
import { createReconcileActivities } from './reconcile/activities.ts'

/** Returns the activities of the overview by queue. */
export const overviewActivities = (deps: DeletionDeps & ReconcileAllDeps) => ({
  io: { ...createReconcileActivities(deps), ...createDeletionActivities(deps) },
})
