import { unpackReply, type ComputeReply } from '../../../core/compiler/pool/compute-task.ts'
import { openThreads } from '../../../core/threads.ts'
import type { BodyCheck } from './large-body-thread.ts'

/** From this size on a body is checked beside the event loop; smaller ones take less time than the way there and back. */
export const LARGE_BODY_BYTES = 256 * 1024

/** Checks large bodies in a thread of its own, so that other calls do not wait for them. */
export interface LargeBodies {
  /** Throws what `decodeUtf8` and `parseJsonText` throw; otherwise `JSON.parse` reads the text as it was sent. */
  check(bytes: Uint8Array, maxDepth: number): Promise<void>
  close(): Promise<void>
}

/** Opens the check; its thread starts with the first large body. */
export function openLargeBodies(): LargeBodies {
  const threads = openThreads<BodyCheck, ComputeReply<null>>({
    file: new URL('./large-body-thread.ts', import.meta.url),
    name: 'checkBody',
    most: 1,
  })
  return {
    async check(bytes, maxDepth) {
      unpackReply(await threads.run({ bytes, maxDepth }))
    },
    close: async () => await threads.close(),
  }
}
