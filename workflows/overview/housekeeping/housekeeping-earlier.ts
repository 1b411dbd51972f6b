import { proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { ReconcileActivities } from '../../../activities/overview/reconcile/activities.ts'
import type { Counts } from '../../../activities/kernel/chores/chore.ts'
import { HOUSEKEEPING } from '../../kernel/policies.ts'

const chores = proxyActivities<ReconcileActivities>(HOUSEKEEPING)

/** Does the work of `runSweeps` in one activity. Kept for runs that began before that workflow replaced it. */
export async function housekeeping(): Promise<Counts> {
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
