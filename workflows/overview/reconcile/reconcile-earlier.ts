import { proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { ReconcileActivities } from '../../../activities/overview/reconcile/activities.ts'
import type { Counts } from '../../../activities/kernel/chores/chore.ts'
import { EARLIER_CHORE } from '../../kernel/policies.ts'

const chores = proxyActivities<ReconcileActivities>(EARLIER_CHORE)

/** Does the work of `reconcileFamilies` in one activity. Kept for runs that began before that workflow replaced it. */
export async function reconcile(): Promise<Counts> {
  const report = await chores.reconcileJobs.executeWithOptions(
    { ...EARLIER_CHORE, summary: 'Admit waiting jobs, start requested workflows, end rows whose workflow is gone' },
    [],
  )
  setCurrentDetails(
    `admitted ${report['admitted']} · started ${report['started']} · started again ${report['restarted']} · ` +
      `ended ${report['finished']} · not reached ${report['failed']}`,
  )
  return report
}
