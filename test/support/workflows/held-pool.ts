import { atEnd } from '../../runner/at-end.ts'
import { createComputePool, type ComputeCall, type ComputePool } from '../../../core/compile/stages/pool/pool.ts'

let shared: ComputePool | undefined

/** A stage that is being held. */
export interface Hold {
  /** Ends when the stage has begun. */
  readonly reached: Promise<void>
  release(): void
}

/** The compute threads of a test process, as one suite has them. */
export interface HeldPool {
  readonly pool: ComputePool
  /** Lets the next `k-sample` begin and hold still until it is released or cancelled. */
  hold(): Hold
}

interface HeldStage {
  readonly reached: () => void
  readonly released: Promise<void>
}

/**
 * A suite's share in the compute pool of this process: its thread has the compiler's code loaded and warm for the next
 * suite. `close` ends the work of the suite alone.
 */
export function openHeldPool(): HeldPool {
  const whole = sharedPool()
  const holds: HeldStage[] = []
  const closing = new AbortController()
  const ownCall = (call: ComputeCall = {}): ComputeCall => ({
    ...call,
    signal: AbortSignal.any([closing.signal, ...(call.signal === undefined ? [] : [call.signal])]),
  })
  const pool: ComputePool = {
    async splitSample(input, call) {
      const hold = holds.shift()
      if (hold !== undefined) {
        hold.reached()
        const cancelled = new Promise<void>((resolve) => call?.signal?.addEventListener('abort', () => resolve()))
        await Promise.race([hold.released, cancelled])
      }
      return await whole.splitSample(input, ownCall(call))
    },
    samplePart: (input, call) => whole.samplePart(input, ownCall(call)),
    joinSample: (input, call) => whole.joinSample(input, ownCall(call)),
    findQuestion: (input, call) => whole.findQuestion(input, ownCall(call)),
    verify: (input, call) => whole.verify(input, ownCall(call)),
    preview: (input, call) => whole.preview(input, ownCall(call)),
    tryPrograms: (input, call) => whole.tryPrograms(input, ownCall(call)),
    adopt: (input, call) => whole.adopt(input, ownCall(call)),
    prepareFit: (input, call) => whole.prepareFit(input, ownCall(call)),
    judgeAdapter: (input, call) => whole.judgeAdapter(input, ownCall(call)),
    close: async () => closing.abort(),
  }
  return {
    pool,
    hold() {
      const reached = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      holds.push({ reached: reached.resolve, released: released.promise })
      return { reached: reached.promise, release: released.resolve }
    },
  }
}

function sharedPool(): ComputePool {
  if (shared !== undefined) return shared
  const pool = createComputePool({ threads: 1, memoryMb: 512, cores: { beside: 'activities hold a core' } })
  atEnd.push(() => pool.close())
  shared = pool
  return pool
}
