import { DomainError } from '../core/errors.ts'
import type { Logger } from '../config/logger.ts'
import type { Database } from '../db/database.ts'
import { findJobForWork } from '../db/jobs/find-job.ts'
import { markStarted } from '../db/jobs/outbox.ts'
import { findTenant } from '../db/tenants/find-tenant.ts'
import { pingTemporal, type TemporalClient } from '../temporal/client.ts'
import { cancelCompile, startCompile, type CompileStart } from '../temporal/compile.ts'

/**
 * What routes ask of Temporal. What they ask is begun at once and goes on beside the answer: a job is accepted or
 * cancelled when the database says so, and while Temporal is away no caller waits for it. A start that fails stays in
 * the outbox, where a reconciler makes it up.
 */
export interface WorkflowEngine {
  /** Throws `workflow_engine_unavailable` when it does not answer in time. */
  ping(timeoutMs: number): Promise<void>
  /** Starts the workflow of an admitted job and takes its start off the outbox. */
  start(job: CompileStart): void
  /** Starts the workflows of jobs that were let in because another one ended. */
  startAdmitted(jobIds: readonly string[]): void
  /** Ends the workflow of a job that is cancelled already; if it cannot be reached, its activities stop by themselves. */
  endCancelled(jobId: string): void
  /** Waits until everything that was begun is done or given up. */
  settle(): Promise<void>
}

/** The engine over a Temporal client, which connects when it is first used. */
export function createWorkflowEngine(temporal: TemporalClient, db: Database, log: Logger): WorkflowEngine {
  const underWay = new Set<Promise<void>>()
  const begin = (jobId: string, work: () => Promise<void>) => {
    const task = work()
      .catch((error: unknown) => {
        if (isOutage(error))
          log.warn({ err: error, job_id: jobId }, 'Temporal was not reached; the reconciler makes it up')
        else log.error({ err: error, job_id: jobId }, 'a call of Temporal failed')
      })
      .finally(() => underWay.delete(task))
    underWay.add(task)
  }
  const start = async (job: CompileStart) => {
    await startCompile(temporal, job)
    await markStarted(db, job.jobId)
  }
  const startById = async (jobId: string) => {
    const job = await findJobForWork(db, jobId)
    const tenant = await findTenant(db, job.tenantId)
    if (tenant === null) return
    await start({
      jobId,
      tenantId: job.tenantId,
      plan: tenant.plan,
      rows: job.rowCount,
      kScoreFloor: job.kScoreFloor,
      baseModel: job.baseModel,
    })
  }
  return {
    ping: async (timeoutMs) => await pingTemporal(temporal, timeoutMs),
    start: (job) => begin(job.jobId, async () => await start(job)),
    startAdmitted(jobIds) {
      for (const jobId of jobIds) begin(jobId, async () => await startById(jobId))
    },
    endCancelled(jobId) {
      begin(jobId, async () => {
        await cancelCompile(temporal, jobId)
      })
    },
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

function isOutage(error: unknown): boolean {
  return (
    error instanceof DomainError && (error.code === 'workflow_engine_unavailable' || error.code === 'store_unavailable')
  )
}
