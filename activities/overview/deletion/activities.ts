import { purgeTenant } from '../../../db/overview/deletion/purge/purge-tenant.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { cancelRuns } from './cancel-runs.ts'
import { operationOf, type DeletionDeps, type DeletionRef } from './deps.ts'

/** The activities that clean up after a deleted tenant. Each of them may be repeated. */
export const createDeletionActivities = (deps: DeletionDeps) => ({
  cancelRuns: (ref: DeletionRef): Promise<number> =>
    runActivity(deps.log, (activity) => cancelRuns(deps, ref, activity)),
  /**
   * Removes the tenant's data once its grace period is over; returns whether it is gone. An attempt resumes where the
   * last one stopped.
   */
  purgeTenant: (ref: DeletionRef): Promise<boolean> =>
    runActivity(deps.log, ({ signal, progress }) =>
      purgeTenant(operationOf(deps, ref), { limits: deps.limits, signal, onBatch: progress }),
    ),
})

/** The deletion activities, as their workflow sees them. */
export type DeletionActivities = ReturnType<typeof createDeletionActivities>
