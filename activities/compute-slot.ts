import { COMPILE_ERRORS } from '../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../core/kernel/errors.ts'
import type { Limits } from '../core/compile/limits.ts'
import { requireCompute } from '../db/compile/compute/allowance.ts'
import { computeOwnerOf, shareOf } from '../db/compile/compute/compute-share.ts'
import { recordCompute, recordUnpaidCompute } from '../db/compile/compute/record-compute.ts'
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
 * The work that a slot is held for. The compute time of a job is metered, the measuring of its student included. An
 * export belongs to an artifact; the rest is bounded by bytes and rows, but for work that is metered by its terms.
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

/** A lane, and the work that waits in it for a slot. */
export interface SlotPlace {
  readonly lane: LaneName
  /** True for work whose time counts as unpaid compute. */
  readonly isMetered?: boolean
  readonly work: SlotWork
}

/** A slot that work holds, turn by turn. */
export interface HeldSlot extends Pick<Slot, 'ticket' | 'turnOver'> {
  /**
   * Gives the slot up when the turn is over and another tenant waits, and returns with a new one. Call it between two
   * steps. Throws as `inSlot`.
   */
  nextTurn(): Promise<void>
}

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
  where: SlotPlace & { readonly ticket?: number | undefined },
  activity: RunningActivity,
  body: (activity: RunningActivity, slot: HeldSlot) => Promise<T>,
): Promise<T> {
  const op = tenantOf(deps.db, where.work.tenantId)
  const owner = await computeOwnerOf(op, where.work)
  const over = new AbortController()
  const takeTurn = async (ticket: number | undefined): Promise<Turn> => {
    const slot = await takeSlot(deps, { ...where, ticket }, activity, owner)
    return { slot, meter: startMeter(deps, op, where, over) }
  }
  const requireAllowance = async (): Promise<void> => {
    if (isMetered(where)) await requireCompute(op, { ...owner, limits: deps.limits, now: deps.now() })
  }
  let turn = await takeTurn(where.ticket)
  const held: HeldSlot = {
    get ticket() {
      return turn.slot.ticket
    },
    get turnOver() {
      return turn.slot.turnOver
    },
    async nextTurn() {
      if (!turn.slot.turnOver.aborted) return
      await endTurn(turn)
      over.signal.throwIfAborted()
      turn = await takeTurn(turn.slot.ticket)
      await requireAllowance()
    },
  }
  try {
    await requireAllowance()
    return await body({ ...activity, signal: AbortSignal.any([activity.signal, over.signal]) }, held)
  } catch (error) {
    throw over.signal.aborted && !activity.signal.aborted ? over.signal.reason : error
  } finally {
    await endTurn(turn)
  }
}

/** The slot of a turn, and the meter of its time. */
interface Turn {
  readonly slot: Slot
  readonly meter: Meter
}

/** Gives the slot of a turn back. May be repeated. */
async function endTurn({ slot, meter }: Turn): Promise<void> {
  slot.release()
  await meter.stop()
}

/**
 * Does one piece of an activity's work in a further slot of its tenant, when the tenant's turn comes; `body` is not begun
 * when `signal` is aborted first. The time of the slot counts as the job's. Throws as `inSlot`.
 */
export async function inFurtherSlot(
  deps: SlotDeps,
  where: SlotPlace,
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

/** Work whose time is recorded, and which the allowance of its tenant ends. */
function isMetered({ work, isMetered: isUnpaid = false }: SlotPlace): boolean {
  return 'jobId' in work || isUnpaid
}

interface Meter {
  /** May be repeated. */
  stop(): Promise<void>
}

/**
 * Records the time of a slot while it is held, so that a process that dies loses at most a few seconds of it, and aborts
 * `over` with `compute_exhausted` once the tenant has used its allowance.
 */
function startMeter(deps: SlotDeps, op: TenantAccess, where: SlotPlace, over: AbortController): Meter {
  if (!isMetered(where)) return { stop: async () => {} }
  const { work } = where
  let recordedAt = performance.now()
  let recording: Promise<void> = Promise.resolve()
  const record = async (): Promise<void> => {
    const until = performance.now()
    const time = { ms: until - recordedAt, now: deps.now() }
    try {
      await ('jobId' in work ? recordCompute(op, { ...time, jobId: work.jobId }) : recordUnpaidCompute(op, time))
      recordedAt = until
    } catch (error) {
      deps.log.warn({ err: error, work }, 'compute time could not be recorded')
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
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    clearInterval(timer)
    await recording
    await record()
  }
  return { stop: async () => await (stopped ??= stop()) }
}
