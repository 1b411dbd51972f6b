import { proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { ReconcileActivities } from '../../../activities/overview/reconcile/activities.ts'
import type { HousekeepingReport } from '../../../activities/overview/reconcile/reports.ts'
import { HOUSEKEEPING } from '../../kernel/policies.ts'

const chores = proxyActivities<ReconcileActivities>(HOUSEKEEPING)

/** Removes from Postgres what has expired. */
export async function housekeeping(): Promise<HousekeepingReport> {
  const report = await chores.sweepExpired.executeWithOptions(
    { ...HOUSEKEEPING, summary: 'Remove what has expired' },
    [],
  )
  setCurrentDetails(
    Object.entries(report)
      .map(([what, count]) => `${what}: ${count}`)
      .join(' · '),
  )
  return report
}
