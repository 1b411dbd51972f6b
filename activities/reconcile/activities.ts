import { reconcileExports } from '../export/reconcile-exports.ts'
import { runActivity } from '../run-activity.ts'
import type { ReconcileDeps } from './deps.ts'
import { collectSoon } from './collect-soon.ts'
import { reconcileJobs } from './reconcile-jobs.ts'
import { reconcilePokes } from './reconcile-pokes.ts'
import { addReports, type HousekeepingReport, type ReconcileReport } from './reports.ts'
import { sweepExpired } from './sweep-expired.ts'

/** The activities behind the schedules. Each looks at what is there and does what is missing, so repeating is safe. */
export const createReconcileActivities = (deps: ReconcileDeps) => ({
  reconcileJobs: (): Promise<ReconcileReport> =>
    runActivity(deps.log, async ({ signal }) => {
      const report = addReports(
        await reconcileJobs(deps, signal),
        await reconcileExports(deps, signal),
        await reconcilePokes(deps, signal),
      )
      await collectSoon(deps, signal)
      return report
    }),
  sweepExpired: (): Promise<HousekeepingReport> => runActivity(deps.log, ({ signal }) => sweepExpired(deps, signal)),
})

/** The activities behind the schedules, as their workflows see them. */
export type ReconcileActivities = ReturnType<typeof createReconcileActivities>
