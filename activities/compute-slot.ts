import { COMPILE_ERRORS } from '../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../core/kernel/errors.ts'
import type { Limits } from '../core/compile/limits.ts'
import { requireCompute } from '../db/compile/compute/allowance.ts'
import { computeOwnerOf, meteredOwnerOf } from '../db/compile/compute/compute-owner.ts'
import { shareOf } from '../db/compile/compute/compute-share.ts'
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
  /**
   * Does one piece of the work in a further slot of its tenant, when the tenant's turn comes; `body` is not begun when
   * `signal` is aborted first. The time of both slots counts. Throws as `inSlot`.
   */
  beside(signal: AbortSignal, body: () => Promise<void>): Promise<void>
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
  const isCounted = isMetered(where)
  const owner = isCounted
    ? await meteredOwnerOf(op, where.work, { limits: deps.limits, now: deps.now() })
    : await computeOwnerOf(op, where.work)
  const askedAt = performance.now()
  const over = new AbortController()
  const meter = startMeter(deps, op, where, over)
  const takeTurn = async (ticket: number | undefined): Promise<Turn> => {
    const slot = await takeSlot(deps, { ...where, ticket }, activity, owner)
    return { slot, leave: meter.hold() }
  }
  const requireAllowance = async (): Promise<void> => {
    if (isCounted) await requireCompute(op, { ...owner, limits: deps.limits, now: deps.now() })
  }
  let turn = await takeTurn(where.ticket)
  const endTurn = async (): Promise<void> => {
    turn.slot.release()
    turn.leave()
    await meter.record()
  }
  const held: HeldSlot = {
    get ticket() {
      return turn.slot.ticket
    },
    get turnOver() {
      return turn.slot.turnOver
    },
    async nextTurn() {
      if (!turn.slot.turnOver.aborted) return
      await endTurn()
      over.signal.throwIfAborted()
      turn = await takeTurn(turn.slot.ticket)
      await requireAllowance()
    },
    async beside(signal, body) {
      const signals = [activity.signal, over.signal, signal]
      // The activity works on in the slot that it has, so it does not wait.
      const waiting = { signal: AbortSignal.any(signals), wait: () => undefined }
      const slot = await takeSlot(deps, { lane: where.lane }, waiting, owner)
      const leave = meter.hold()
      try {
        await body()
      } finally {
        slot.release()
        leave()
      }
    },
  }
  try {
    // The tenant's other work may have used the allowance while this waited.
    if (performance.now() - askedAt > METER_EVERY_MS) await requireAllowance()
    return await body({ ...activity, signal: AbortSignal.any([activity.signal, over.signal]) }, held)
  } catch (error) {
    throw over.signal.aborted && !activity.signal.aborted ? over.signal.reason : error
  } finally {
    await endTurn()
  }
}

/** The slot of a turn; `leave` ends the counting of its time, and may be repeated. */
interface Turn {
  readonly slot: Slot
  readonly leave: () => void
}

async function takeSlot(
  { cores, limits }: SlotDeps,
  { lane, ticket }: { readonly lane: LaneName; readonly ticket?: number | undefined },
  activity: Pick<RunningActivity, 'signal' | 'wait'>,
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

/** Counts the time of slots. */
interface Meter {
  /** Counts the time of one slot more until the returned function is called, which may be repeated. */
  hold(): () => void
  /** Records what was counted and not recorded yet. Never rejects. */
  record(): Promise<void>
}

/**
 * Records the time of slots while they are held, so that a process that dies loses at most a few seconds of it, and aborts
 * `over` with `compute_exhausted` once the tenant has used its allowance.
 */
function startMeter(deps: SlotDeps, op: TenantAccess, where: SlotPlace, over: AbortController): Meter {
  if (!isMetered(where)) return { hold: () => () => undefined, record: async () => {} }
  const { work } = where
  let held = 0
  let countedMs = 0
  let countedAt = performance.now()
  const count = (): void => {
    const now = performance.now()
    countedMs += held * (now - countedAt)
    countedAt = now
  }
  const recordCounted = async (): Promise<void> => {
    count()
    const ms = countedMs
    countedMs = 0
    try {
      const time = { ms, now: deps.now() }
      await ('jobId' in work ? recordCompute(op, { ...time, jobId: work.jobId }) : recordUnpaidCompute(op, time))
    } catch (error) {
      countedMs += ms
      deps.log.warn({ err: error, work }, 'compute time could not be recorded')
    }
  }
  let recording: Promise<void> = Promise.resolve()
  const look = async (): Promise<void> => {
    await recordCounted()
    try {
      await requireCompute(op, { tenantId: op.tenantId, limits: deps.limits, now: deps.now() })
    } catch (error) {
      if (COMPILE_ERRORS.compute_exhausted.matches(error)) over.abort(error)
    }
  }
  let timer: NodeJS.Timeout | undefined
  return {
    hold() {
      count()
      if (held++ === 0) timer = setInterval(() => void (recording = recording.then(look)), METER_EVERY_MS)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        count()
        if (--held === 0) clearInterval(timer)
      }
    },
    async record() {
      recording = recording.then(recordCounted)
      await recording
    },
  }
}
