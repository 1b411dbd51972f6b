import { purgeTenant } from '../../../db/overview/deletion/purge/purge-tenant.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { cancelRuns } from './cancel-runs.ts'
import { operationOf, type DeletionDeps, type DeletionRef } from './deps.ts'

/** The activities that clear up after a tenant that is no more. Each of them may be repeated. */
export const createDeletionActivities = (deps: DeletionDeps) => ({
  cancelRuns: (ref: DeletionRef): Promise<number> =>
    runActivity(deps.log, (activity) => cancelRuns(deps, ref, activity)),
  /** Removes what it held, if its days are over; answers whether it is gone. An attempt goes on where the last one was. */
  purgeTenant: (ref: DeletionRef): Promise<boolean> =>
    runActivity(deps.log, ({ signal, progress }) =>
      purgeTenant(operationOf(deps, ref), { limits: deps.limits, signal, onBatch: progress }),
    ),
})

/** The activities of deletion, as its workflow sees them. */
export type DeletionActivities = ReturnType<typeof createDeletionActivities>
