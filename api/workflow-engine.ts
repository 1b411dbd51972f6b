import { DomainError } from '../core/errors.ts'
import type { Logger } from '../config/logger.ts'
import type { Database } from '../db/database.ts'
import { findJobForWork } from '../db/jobs/find-job.ts'
import { markStarted } from '../db/jobs/outbox.ts'
import { findTenant } from '../db/tenants/find-tenant.ts'
import { pingTemporal, type TemporalClient } from '../temporal/client.ts'
import { cancelCompile, startCompile, type CompileStart } from '../temporal/compile.ts'

/** What routes ask of Temporal. */
export interface WorkflowEngine {
  /** Throws `workflow_engine_unavailable` when it does not answer in time. */
  ping(timeoutMs: number): Promise<void>
  /**
   * Starts the workflow of an admitted job and takes its start off the outbox. When Temporal is away the start stays in
   * the outbox and a reconciler makes it up: the job is accepted either way, so this never throws for that.
   */
  start(job: CompileStart): Promise<void>
  /** Starts the workflows of jobs that were let in because another one ended; what fails is left to the reconciler. */
  startAdmitted(jobIds: readonly string[]): Promise<void>
  /**
   * Ends the workflow of a job that is cancelled already. When Temporal is away nothing is lost: the activities of a
   * cancelled job stop by themselves.
   */
  endCancelled(jobId: string): Promise<void>
}

/** The engine over a Temporal client, which connects when it is first used. */
export function createWorkflowEngine(temporal: TemporalClient, db: Database, log: Logger): WorkflowEngine {
  const orLeave = async (jobId: string, call: () => Promise<void>) => {
    try {
      await call()
    } catch (error) {
      if (!(error instanceof DomainError) || !LEFT_TO_RECONCILER.has(error.code)) throw error
      log.warn({ err: error, job_id: jobId }, 'the workflow engine was not reached; the reconciler makes it up')
    }
  }
  const start = async (job: CompileStart) => {
    await startCompile(temporal, job)
    await markStarted(db, job.jobId)
  }
  return {
    ping: async (timeoutMs) => await pingTemporal(temporal, timeoutMs),
    start: async (job) => await orLeave(job.jobId, async () => await start(job)),
    async startAdmitted(jobIds) {
      for (const jobId of jobIds) {
        await orLeave(jobId, async () => {
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
        })
      }
    },
    async endCancelled(jobId) {
      await orLeave(jobId, async () => {
        await cancelCompile(temporal, jobId)
      })
    },
  }
}

const LEFT_TO_RECONCILER: ReadonlySet<string> = new Set(['workflow_engine_unavailable', 'store_unavailable'])
