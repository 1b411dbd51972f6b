import { reconcileExports } from './reconcile-exports.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import type { ReconcileDeps } from './deps.ts'
import { collectSoon } from './collect-soon.ts'
import { reconcileJobs } from './reconcile-jobs.ts'
import { reconcilePokes } from './reconcile-pokes.ts'
import { reconcileRows } from './reconcile-rows.ts'
import { addReports, type HousekeepingReport, type ReconcileReport } from './reports.ts'
import { sweepExpired } from '../housekeeping/sweep-expired.ts'

const PARTS = [reconcileJobs, reconcileExports, reconcilePokes, reconcileRows] as const

/** Does all of the work, also after a part that fails, and then throws the first failure. */
async function inTurn<T>(parts: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const done: T[] = []
  const failures: unknown[] = []
  for (const part of parts) {
    try {
      done.push(await part())
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return done
}

/** The activities behind the schedules. Each looks at what is there and does what is missing, so repeating is safe. */
export const createReconcileActivities = (deps: ReconcileDeps) => ({
  reconcileJobs: (): Promise<ReconcileReport> =>
    runActivity(deps.log, async ({ signal }) => {
      try {
        return addReports(await inTurn(PARTS.map((part) => async () => await part(deps, signal))))
      } finally {
        await collectSoon(deps, signal)
      }
    }),
  sweepExpired: (): Promise<HousekeepingReport> => runActivity(deps.log, ({ signal }) => sweepExpired(deps, signal)),
})

/** The activities behind the schedules, as their workflows see them. */
export type ReconcileActivities = ReturnType<typeof createReconcileActivities>
