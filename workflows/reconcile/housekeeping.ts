import { proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { ReconcileActivities } from '../../activities/reconcile/activities.ts'
import type { HousekeepingReport } from '../../activities/reconcile/reports.ts'
import { CHORE } from '../policies.ts'

const chores = proxyActivities<ReconcileActivities>(CHORE)

/** Removes from Postgres what has expired. */
export async function housekeeping(): Promise<HousekeepingReport> {
  const report = await chores.sweepExpired.executeWithOptions({ ...CHORE, summary: 'Remove what has expired' }, [])
  setCurrentDetails(
    Object.entries(report)
      .map(([what, count]) => `${what}: ${count}`)
      .join(' · '),
  )
  return report
}
