import { proxyActivities } from '@temporalio/workflow'
import type { ReconcileActivities } from '../../../activities/overview/reconcile/activities.ts'
import { CHORE } from '../../kernel/policies.ts'
import { runChores, type ChoresReport } from '../../kernel/run-chores.ts'

const chores = proxyActivities<ReconcileActivities>(CHORE)

/** Sweeps that run at once: each holds a connection to Postgres. */
const AT_ONCE = 4

/** Removes from Postgres what has expired. */
export async function runSweeps(): Promise<ChoresReport> {
  const sweeps = await chores.listSweeps.executeWithOptions({ ...CHORE, summary: 'List the sweeps' }, [])
  return await runChores(sweeps, AT_ONCE, async ({ name, summary, timeoutS, attempts }) =>
    chores.sweep.executeWithOptions(
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
