import { COMPILE_ERRORS } from '../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../core/kernel/errors.ts'
import type { Limits } from '../core/compile/limits.ts'
import { requireCompute } from '../db/compile/compute/allowance.ts'
import { computeOwnerOf, shareOf } from '../db/compile/compute/compute-share.ts'
import { recordCompute } from '../db/compile/compute/record-compute.ts'
import type { Database } from '../db/kernel/database.ts'
import { tenantOf, type TenantAccess } from '../db/kernel/operation.ts'
import type { ActivityLog } from './kernel/activity-log.ts'
import type { RunningActivity } from './kernel/run-activity.ts'
import { LaneFull, type Slot } from '../core/kernel/threads/fair/fair-lane.ts'
import type { LaneName, Cores } from '../core/kernel/threads/cores.ts'

/** Dependencies of activities that compute. */
export interface SlotDeps {
  readonly db: Database
  readonly cores: Cores
  readonly limits: Limits
  readonly log: ActivityLog
  readonly now: () => Date
}

/**
 * The work that a slot is held for: a job's compute time is metered, an export's belongs to an artifact, indexing and
 * datasets are bounded by bytes, evaluations, gates, bake-offs and distillations by rows, measurements by calls.
 */
export type SlotWork = { readonly tenantId: string } & (
  | { readonly jobId: string }
  | { readonly exportId: string }
  | { readonly indexId: string }
  | { readonly datasetId: string }
  | { readonly evaluationId: string }
  | { readonly gateId: string }
  | { readonly runId: string }
  | { readonly bakeoffId: string }
  | { readonly measurementId: string }
)

/** Interval at which the time of a held slot is recorded and compared with the tenant's allowance. */
const METER_EVERY_MS = 5000
/** Delay before a rejected task tries again: spread, so that tasks do not return all at once. */
const RETRY_AFTER_S = 5
const RETRY_SPREAD_S = 10

/**
 * Waits for a slot of a lane on behalf of the work's tenant, runs `body` in it, and always releases the slot. Aborts
 * the body's activity when the tenant's allowance is used up. Throws `compute_exhausted`, then or before the body
 * begins, and `busy` when too many of the tenant's tasks wait in this process.
 */
export async function inSlot<T>(
  deps: SlotDeps,
  where: { readonly lane: LaneName; readonly work: SlotWork; readonly ticket?: number | undefined },
  activity: RunningActivity,
  body: (activity: RunningActivity, slot: Slot) => Promise<T>,
): Promise<T> {
  const op = tenantOf(deps.db, where.work.tenantId)
  const owner = await computeOwnerOf(op, where.work)
  const slot = await takeSlot(deps, where, activity, owner)
  const meter = startMeter(deps, op, where.work)
  try {
    if ('jobId' in where.work) await requireCompute(op, { ...owner, limits: deps.limits, now: deps.now() })
    const signal = AbortSignal.any([activity.signal, meter.exhausted])
    return await body({ ...activity, signal }, slot)
  } catch (error) {
    throw meter.exhausted.aborted && !activity.signal.aborted ? meter.exhausted.reason : error
  } finally {
    slot.release()
    await meter.stop()
  }
}

/**
 * Does one piece of an activity's work in a further slot of its tenant, when the tenant's turn comes; `body` is not begun
 * when `signal` is aborted first. The time of the slot counts as the job's. Throws as `inSlot`.
 */
export async function inFurtherSlot(
  deps: SlotDeps,
  where: { readonly lane: LaneName; readonly work: SlotWork },
  activity: RunningActivity,
  signal: AbortSignal,
  body: () => Promise<void>,
): Promise<void> {
  // The activity works on in the slot that it has, so it does not wait.
  const beside = { ...activity, signal: AbortSignal.any([activity.signal, signal]), wait: () => undefined }
  await inSlot(deps, where, beside, async () => await body())
}

async function takeSlot(
  { cores, limits }: SlotDeps,
  { lane, ticket }: { readonly lane: LaneName; readonly ticket?: number | undefined },
  activity: RunningActivity,
  owner: Parameters<typeof shareOf>[0],
): Promise<Slot> {
  activity.wait(true)
  try {
    return await cores[lane].take(shareOf(owner, limits), { signal: activity.signal, ticket })
  } catch (error) {
    if (!(error instanceof LaneFull)) throw error
    throw KERNEL_ERRORS.busy('too many tasks of this tenant wait for a compute slot', {
      retryAfterS: RETRY_AFTER_S + Math.random() * RETRY_SPREAD_S,
      cause: error,
    })
  } finally {
    activity.wait(false)
  }
}

interface Meter {
  /** Aborted with `compute_exhausted` once the tenant has used its allowance. */
  readonly exhausted: AbortSignal
  stop(): Promise<void>
}

/** Records the time of a slot while it is held, so that a process that dies loses at most a few seconds of it. */
function startMeter(deps: SlotDeps, op: TenantAccess, work: SlotWork): Meter {
  const over = new AbortController()
  if (!('jobId' in work)) return { exhausted: over.signal, stop: async () => {} }
  const { jobId } = work
  let recordedAt = performance.now()
  let recording: Promise<void> = Promise.resolve()
  const record = async (): Promise<void> => {
    const until = performance.now()
    try {
      await recordCompute(op, { jobId, ms: until - recordedAt, now: deps.now() })
      recordedAt = until
    } catch (error) {
      deps.log.warn({ err: error, job: jobId }, 'compute time could not be recorded')
    }
  }
  const look = async (): Promise<void> => {
    await record()
    try {
      await requireCompute(op, { tenantId: op.tenantId, limits: deps.limits, now: deps.now() })
    } catch (error) {
      if (COMPILE_ERRORS.compute_exhausted.matches(error)) over.abort(error)
    }
  }
  const timer = setInterval(() => {
    recording = recording.then(look)
  }, METER_EVERY_MS)
  return {
    exhausted: over.signal,
    async stop() {
      clearInterval(timer)
      await recording
      await record()
    },
  }
}
