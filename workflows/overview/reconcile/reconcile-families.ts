import { proxyActivities } from '@temporalio/workflow'
import type { ReconcileActivities } from '../../../activities/overview/reconcile/activities.ts'
import { CHORE } from '../../kernel/policies.ts'
import { runChores, type ChoresReport } from '../../kernel/run-chores.ts'

const chores = proxyActivities<ReconcileActivities>(CHORE)

/** Reconciles the rows and the workflows of all families after a crash between the two. */
export async function reconcileFamilies(): Promise<ChoresReport> {
  const families = await chores.listFamilies.executeWithOptions({ ...CHORE, summary: 'List the families' }, [])
  return await runChores(families, families.length, async ({ name, summary, timeoutS, attempts }) =>
    chores.reconcileFamily.executeWithOptions(
      {
        ...CHORE,
        activityId: name,
        summary,
        startToCloseTimeout: `${timeoutS} seconds`,
        retry: { ...CHORE.retry, maximumAttempts: attempts },
      },
      [name],
    ),
  )
}
