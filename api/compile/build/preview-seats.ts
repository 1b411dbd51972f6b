import type { ComputePool } from '../../../core/compile/stages/pool/pool.ts'
import type { PreviewInput, PreviewOutput } from '../../../core/compile/stages/preview/preview.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { createFairLane, LaneFull, type Slot } from '../../../core/kernel/threads/fair/fair-lane.ts'
import { evenShare } from '../../../core/kernel/threads/cores.ts'
import { timeoutAfter } from '../../../core/kernel/threads/timers.ts'

/** Dry runs of compiles, a few at a time, each bounded. */
export interface Previews {
  /**
   * Runs one for `caller`, the address that it came from. Callers take turns: one place is always left to others, and a
   * run waits for a few seconds when all are taken. Throws `busy` after that, or when this caller has a run waiting
   * already, and `preview_timeout` when it takes too long.
   */
  run(input: Omit<PreviewInput, 'budgetMs'>, caller: string, callEnd: AbortSignal): Promise<PreviewOutput>
}

/** A dry run may take this many times its budget before its thread is ended: only a part of its time is search. */
const OVERRUN = 6
/** Time that a run waits for a place, milliseconds, and the number that may wait. */
const WAIT_MS = 4000
const MOST_WAITING = 32
const WAITING_PER_CALLER = 1
/** Longer than any run: turns are not cut short. */
const TURN_MS = 3_600_000

/** Dry runs in threads of a pool, so that the process keeps answering meanwhile. */
export function createPreviews(pool: ComputePool, limits: Limits): Previews {
  const places = Math.max(1, Math.ceil(limits.preview_concurrency))
  const lane = createFairLane({
    places,
    placesPerFlow: Math.max(1, places - 1),
    extraPlaces: 0,
    turnMs: TURN_MS,
    waitingPerFlow: WAITING_PER_CALLER,
    now: () => performance.now(),
  })

  async function takePlace(caller: string, callEnd: AbortSignal): Promise<Slot> {
    const waited = AbortSignal.timeout(WAIT_MS)
    const share = { flow: caller, member: caller, weight: 1 }
    try {
      if (lane.waiting >= MOST_WAITING) throw new LaneFull('too many previews wait')
      return await lane.take(share, { signal: AbortSignal.any([waited, callEnd]) })
    } catch (error) {
      if (!waited.aborted && !(error instanceof LaneFull)) throw error
      throw KERNEL_ERRORS.busy('too many previews are running; try again shortly', { retryAfterS: 2, cause: error })
    }
  }

  return {
    async run(input, caller, callEnd) {
      const place = await takePlace(caller, callEnd)
      const timeout = timeoutAfter((limits.preview_cpu_ms * OVERRUN) / 1000)
      try {
        return await pool.preview(
          { ...input, budgetMs: limits.preview_cpu_ms },
          { signal: AbortSignal.any([timeout, callEnd]), share: evenShare(caller) },
        )
      } catch (error) {
        if (!timeout.aborted) throw error
        throw COMPILE_ERRORS.preview_timeout('the preview took too long; compile the examples instead', {
          cause: error,
        })
      } finally {
        place.release()
      }
    },
  }
}
