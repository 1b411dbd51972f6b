import { createDeletionActivities } from './deletion/activities.ts'
import type { DeletionDeps } from './deletion/deps.ts'
import type { Limits } from '../../core/overview/limits.ts'
import type { ReconcileDeps } from '../kernel/reconcile/deps.ts'
import { createReconcileActivities } from './reconcile/activities.ts'

/** Returns the activities of the overview by queue. */
export const overviewActivities = (deps: DeletionDeps & ReconcileDeps<Limits>) => ({
  io: { ...createReconcileActivities(deps), ...createDeletionActivities(deps) },
})
