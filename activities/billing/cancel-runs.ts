import { DomainError } from '../../core/errors.ts'
import { unfinishedJobsOf } from '../../db/jobs/unfinished-jobs.ts'
import { cancelJob } from '../../db/jobs/cancel-job.ts'
import { cancelCompile } from '../../temporal/compile.ts'
import { operationOf, type BillingDeps, type BillingRef } from './deps.ts'

/** Jobs that one pass ends. */
const BATCH = 100

/**
 * Ends the compile jobs of a tenant that was deleted, in their rows and in Temporal. Safe to repeat. Answers how many it
 * ended.
 */
export async function cancelRuns(deps: BillingDeps, ref: BillingRef, signal: AbortSignal): Promise<number> {
  const op = operationOf(deps, ref)
  let cancelled = 0
  for (;;) {
    const jobIds = await unfinishedJobsOf(op, { limit: BATCH })
    if (jobIds.length === 0) return cancelled
    for (const jobId of jobIds) {
      signal.throwIfAborted()
      try {
        await cancelJob(op, { jobId, limits: deps.limits })
        cancelled++
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'already_finished') throw error
      }
      await cancelCompile(deps.temporal, jobId)
    }
  }
}
