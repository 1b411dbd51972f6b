import { proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { ReconcileActivities } from '../../../activities/overview/reconcile/activities.ts'
import type { ReconcileReport } from '../../../activities/overview/reconcile/reports.ts'
import { CHORE } from '../../kernel/policies.ts'

const chores = proxyActivities<ReconcileActivities>(CHORE)

/** Brings rows and workflows of jobs together again after whatever crash came between the two. */
export async function reconcile(): Promise<ReconcileReport> {
  const report = await chores.reconcileJobs.executeWithOptions(
    { ...CHORE, summary: 'Admit waiting jobs, start what was not started, end what lost its workflow' },
    [],
  )
  setCurrentDetails(
    `admitted ${report.admitted} · started ${report.started} · started again ${report.restarted} · ` +
      `ended ${report.finished} · not reached ${report.failed}`,
  )
  return report
}
