import { isFinal } from '../core/compiler/task.ts'
import type { Database } from '../db/database.ts'
import { findJobForWork } from '../db/jobs/find-job.ts'
import { markStarted } from '../db/jobs/outbox.ts'
import { findTenant } from '../db/tenants/find-tenant.ts'
import type { TemporalClient } from '../temporal/client.ts'
import { startCompile } from '../temporal/compile.ts'
import type { ActivityLog } from './activity-log.ts'

/** What starting a job needs. */
export interface StartDeps {
  readonly db: Database
  readonly temporal: TemporalClient
  readonly log: ActivityLog
}

/**
 * Starts the workflow of an admitted job and takes it off the outbox. Safe to repeat: a workflow is started once per
 * job. False when there was nothing to start, because the job is over or its workflow has been there before.
 */
export async function startJob(deps: StartDeps, jobId: string): Promise<boolean> {
  const job = await findJobForWork(deps.db, jobId)
  if (isFinal(job.status)) {
    await markStarted(deps.db, jobId)
    return false
  }
  const tenant = await findTenant(deps.db, job.tenantId)
  const isStarted = await startCompile(deps.temporal, {
    jobId,
    tenantId: job.tenantId,
    plan: tenant?.plan ?? 'unknown',
    rows: job.rowCount,
    kScoreFloor: Number(job.kScoreFloor),
    baseModel: job.baseModel,
  })
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
