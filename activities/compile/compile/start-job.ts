import type { StartDeps } from '../../kernel/start-deps.ts'
import { findStart } from '../../../db/compile/jobs/start/find-start.ts'
import { markStarted } from '../../../db/compile/jobs/start/outbox.ts'
import { startCompile } from '../../../temporal/compile.ts'

/**
 * Starts the workflow of an admitted job and takes it off the outbox. Safe to repeat: a workflow is started once per
 * job. False when there was nothing to start, because the job is over or its workflow has been there before.
 */
export async function startJob(deps: StartDeps, jobId: string): Promise<boolean> {
  const start = await findStart(deps.db, jobId)
  if (start === null) return false
  const isStarted = await startCompile(deps.temporal, start)
  await markStarted(deps.db, jobId)
  return isStarted
}

/**
 * Starts jobs that were let in because another one ended. What cannot be started now is left to the reconciler: the
 * outbox still names it.
 */
export async function startAdmitted(deps: StartDeps, jobIds: readonly string[]): Promise<void> {
  for (const jobId of jobIds) {
    try {
      await startJob(deps, jobId)
    } catch (error) {
      deps.log.warn({ err: error, job: jobId }, 'a job that was let in could not be started; it is tried again')
    }
  }
}
