import { Piscina } from 'piscina'
import { unpackReply, type ComputeReply } from '../../../core/compiler/pool/compute-task.ts'
import type { BodyCheck } from './large-body-thread.ts'

/** From this size on a body is checked beside the event loop; smaller ones take less time than the way there and back. */
export const LARGE_BODY_BYTES = 256 * 1024

const IDLE_MS = 30_000

/** Checks large bodies in a thread of its own, so that other calls do not wait for them. */
export interface LargeBodies {
  /** Throws what `decodeUtf8` and `parseJsonText` throw; otherwise `JSON.parse` reads the text as it was sent. */
  check(bytes: Uint8Array, maxDepth: number): Promise<void>
  close(): Promise<void>
}

/** Opens the check; its thread starts with the first large body and ends when none comes for a while. */
export function openLargeBodies(): LargeBodies {
  const piscina = new Piscina({
    filename: new URL('./large-body-thread.ts', import.meta.url).href,
    name: 'checkBody',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
  })
  return {
    async check(bytes, maxDepth) {
      const task: BodyCheck = { bytes, maxDepth }
      const reply: ComputeReply<null> = await piscina.run(task)
      unpackReply(reply)
    },
    close: async () => await piscina.destroy(),
  }
}
