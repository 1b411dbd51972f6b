import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { Accept } from '../../../core/compile/workflows.ts'
import { failAcceptance } from '../../../db/compile/progress/acceptances/fail-acceptance.ts'
import { pendingAcceptancesOf } from '../../../db/compile/progress/acceptances/pending-acceptances.ts'
import { failExport } from '../../../db/compile/exports/finish-export.ts'
import { unfinishedExportsOf } from '../../../db/compile/exports/unfinished-exports.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import { unfinishedJobsOf } from '../../../db/compile/jobs/unfinished-jobs.ts'
import { cancelRun } from '../../../temporal/runs.ts'
import type { RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DeletionDeps, type DeletionRef } from './deps.ts'

/** Progress callbacks for ending runs. */
type Ending = Pick<RunningActivity, 'signal' | 'progress'>

/** Number of jobs, acceptances or exports that one pass ends. */
const BATCH = 100

/**
 * Ends the jobs, acceptances and exports of a deleted tenant, in their rows and in Temporal. Safe to repeat. Returns how many it
 * ended.
 */
export async function cancelRuns(deps: DeletionDeps, ref: DeletionRef, activity: Ending): Promise<number> {
  const op = operationOf(deps, ref)
  const jobs = await endAll(
    activity,
    async () => await unfinishedJobsOf(op, { limit: BATCH }),
    async (jobId) => {
      try {
        await cancelJob(op, { jobId, limits: deps.limits })
      } catch (error) {
        if (!COMPILE_ERRORS.already_finished.matches(error)) throw error
      }
      await cancelRun(deps.temporal, jobId)
    },
  )
  const acceptances = await endAll(
    activity,
    async () => await pendingAcceptancesOf(op, { limit: BATCH }),
    async (jobId) => {
      await failAcceptance(op, { jobId, errorCode: 'compile_cancelled' })
      await cancelRun(deps.temporal, Accept.plan({ jobId, tenantId: op.tenantId }).workflowId)
    },
  )
  const exports = await endAll(
    activity,
    async () => await unfinishedExportsOf(op, { limit: BATCH }),
    async (exportId) => {
      const errorMessage = 'the export ended with its account'
      await failExport(op, { exportId, errorCode: 'export_failed', errorMessage })
      await cancelRun(deps.temporal, exportId)
    },
  )
  return jobs + acceptances + exports
}

/** Ends one after another until none remains. */
async function endAll(
  { signal, progress }: Ending,
  find: () => Promise<readonly string[]>,
  end: (id: string) => Promise<void>,
): Promise<number> {
  for (let ended = 0; ;) {
    const ids = await find()
    if (ids.length === 0) return ended
    for (const id of ids) {
      signal.throwIfAborted()
      await end(id)
      ended++
      progress()
    }
  }
}
