import { DomainError } from '../core/kernel/errors.ts'
import type { Logger } from '../config/logger.ts'
import type { Database } from '../db/kernel/database.ts'
import { findExportStart, markExportStarted } from '../db/compile/exports/starts.ts'
import { findStart } from '../db/compile/jobs/start/find-start.ts'
import { markStarted } from '../db/compile/jobs/start/outbox.ts'
import { findPoke, markPoked } from '../db/kernel/outbox/request-poke.ts'
import { pingTemporal, type TemporalClient } from '../temporal/client.ts'
import { cancelCompile, startCompile } from '../temporal/compile.ts'
import { startExport } from '../temporal/export.ts'
import { pokeWorkflow } from '../temporal/poke.ts'
import { lastHeard } from '../temporal/pollers.ts'
import { isTrainerListening } from '../temporal/trainer.ts'

/**
 * What routes ask of Temporal. What they ask is begun at once and goes on beside the answer: a job is accepted or
 * cancelled when the database says so, and while Temporal is away no caller waits for it. A start that fails stays in
 * the outbox, where a reconciler makes it up.
 */
export interface WorkflowEngine {
  /** Throws `workflow_engine_unavailable` when it does not answer in time. */
  ping(timeoutMs: number): Promise<void>
  /** When a worker last asked a queue for work; null when none is there. Throws `workflow_engine_unavailable`. */
  lastHeard(queue: 'io' | 'compile'): Promise<Date | null>
  /** True when a trainer outside of this program listens. Throws `workflow_engine_unavailable`. */
  isTrainerListening(now: Date): Promise<boolean>
  /** Starts the workflows of jobs that were let in, and takes their starts off the outbox. */
  startAdmitted(jobIds: readonly string[]): void
  /** Starts the workflow of an export that was accepted. */
  startExport(exportId: string): void
  /** Starts or wakes the workflow that a verb has asked for. */
  poke(workflowId: string): void
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
  const start = async (jobId: string) => {
    const found = await findStart(db, jobId)
    if (found === null) return
    await startCompile(temporal, found)
    await markStarted(db, jobId)
  }
  return {
    lastHeard: async (queue) => await lastHeard(temporal, queue),
    isTrainerListening: async (now) => await isTrainerListening(temporal, now),
    ping: async (timeoutMs) => await pingTemporal(temporal, timeoutMs),
    startAdmitted(jobIds) {
      for (const jobId of jobIds) begin(jobId, async () => await start(jobId))
    },
    startExport(exportId) {
      begin(exportId, async () => {
        const found = await findExportStart(db, exportId)
        if (found === null) return
        await startExport(temporal, found)
        await markExportStarted(db, exportId)
      })
    },
    poke(workflowId) {
      begin(workflowId, async () => {
        const poke = await findPoke(db, workflowId)
        if (poke === null) return
        await pokeWorkflow(temporal, poke)
        await markPoked(db, poke)
      })
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
