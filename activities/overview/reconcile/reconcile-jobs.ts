import { setTimeout as sleep } from 'node:timers/promises'
import { admitWaiting } from '../../../db/compile/jobs/start/admission.ts'
import { finishCancelled, finishFailed } from '../../../db/compile/jobs/finish/finish-otherwise.ts'
import type { FinishedJob } from '../../../db/compile/jobs/finish/finish.ts'
import { dueStarts, requestStart, unfinishedJobs, type UnfinishedJob } from '../../../db/compile/jobs/start/outbox.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import { findCompileRun, listRunningCompiles, type CompileRunState } from '../../../temporal/compile.ts'
import { failureText } from '../../compile/compile/finish.ts'
import { startJob } from '../../compile/compile/start-job.ts'
import type { ReconcileDeps } from './deps.ts'
import type { ReconcileReport } from './reports.ts'

/** Starts taken from the outbox at once; a whole tick takes as many turns as it needs. */
const BATCH = 100
/** Tenants whose waiting jobs are let in per tick. */
const TENANTS_PER_TICK = 500
/** Unfinished jobs read at once. */
const PAGE = 500
/** Calls to Temporal at once. */
const PARALLEL = 8
/** A job that was let in this recently may still be on its way to Temporal. */
const SETTLE_MS = 15_000
/** How long a run that looks gone is given to finish its row after all. */
const SECOND_LOOK_MS = 500

/**
 * Brings rows and workflows together: lets in waiting jobs that have room, starts what the outbox still names, starts
 * again what Temporal knows nothing of, and ends rows whose workflow ended without them. Each job that fails here is
 * left to the next tick. Safe to run twice at once.
 */
export async function reconcileJobs(deps: ReconcileDeps, signal: AbortSignal): Promise<ReconcileReport> {
  const tally = new Tally(deps)
  const { db, limits } = deps
  const admitted = await admitWaiting(db, { limits, batch: TENANTS_PER_TICK, now: deps.now() })
  await tally.each(admitted, 'started', (jobId) => startJob(deps, jobId))

  for (let due = BATCH; due === BATCH && !signal.aborted;) {
    const starts = await dueStarts(db, { batch: BATCH, now: deps.now() })
    await tally.each(starts, 'started', ({ jobId }) => startJob(deps, jobId))
    due = starts.length
  }

  // What the list of running workflows names needs no question of its own; it may lag, so its gaps are asked about.
  const running = await listRunningCompiles(deps.temporal)
  const admittedBefore = new Date(deps.now().getTime() - SETTLE_MS)
  for (let afterId = ''; !signal.aborted;) {
    const page = await unfinishedJobs(db, { admittedBefore, afterId, limit: PAGE })
    await heal(
      deps,
      tally,
      page.filter((job) => !running.has(job.jobId)),
    )
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) break
    afterId = last.jobId
  }
  return { admitted: admitted.length, ...tally.counts }
}

async function heal(deps: ReconcileDeps, tally: Tally, jobs: readonly UnfinishedJob[]): Promise<void> {
  const gone: { readonly job: UnfinishedJob; readonly state: CompileRunState }[] = []
  await tally.each(jobs, null, async (job) => {
    const state = await findCompileRun(deps.temporal, job.jobId)
    if (state !== 'running' && state !== 'unknown') gone.push({ job, state })
    return false
  })
  if (gone.length === 0) return
  // A workflow may have ended between the two looks, its row with it: only rows that are still open are dealt with.
  await sleep(SECOND_LOOK_MS)
  const lost = gone.filter(({ state }) => state === 'missing')
  await tally.each(lost, 'restarted', async ({ job }) => {
    await requestStart(deps.db, { jobId: job.jobId, now: deps.now() })
    return await startJob(deps, job.jobId)
  })
  const ended = gone.filter(({ state }) => state !== 'missing')
  await tally.each(ended, 'finished', async ({ job, state }) => {
    const finished = await endRow(deps, job, state)
    await tally.each(finished.admitted, 'started', (jobId) => startJob(deps, jobId))
    return finished.isFirst
  })
}

/** Ends the row of a job whose workflow is over. A no-op when the row is final, so a lagging look does no harm. */
async function endRow(deps: ReconcileDeps, job: UnfinishedJob, state: CompileRunState): Promise<FinishedJob> {
  const { jobId, tenantId } = job
  const op = systemOperation(deps.db, { tenantId, name: 'reconcile', requestId: jobId, now: deps.now })
  if (state === 'cancelled') return await finishCancelled(op, { jobId, limits: deps.limits })
  return await finishFailed(op, {
    jobId,
    limits: deps.limits,
    errorCode: 'compile_failed',
    errorMessage: failureText('compile_failed'),
  })
}

type Counted = 'started' | 'restarted' | 'finished'

/** Works on jobs a few at a time and counts what came of it; one that fails is logged and left to the next tick. */
class Tally {
  readonly #deps: ReconcileDeps
  readonly #counts = { started: 0, restarted: 0, finished: 0, failed: 0 }

  constructor(deps: ReconcileDeps) {
    this.#deps = deps
  }

  get counts(): Readonly<Record<Counted | 'failed', number>> {
    return { ...this.#counts }
  }

  async each<T>(items: readonly T[], counted: Counted | null, work: (item: T) => Promise<boolean>): Promise<void> {
    const queue = items.values()
    const worker = async (): Promise<void> => {
      for (const item of queue) {
        try {
          const isDone = await work(item)
          if (isDone && counted !== null) this.#counts[counted]++
        } catch (error) {
          this.#counts.failed++
          this.#deps.log.warn({ err: error }, 'a job could not be reconciled; the next tick tries again')
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(PARALLEL, items.length) }, worker))
  }
}
