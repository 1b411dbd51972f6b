import { isOutOfMemory, ThreadFailure } from '../../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../../kernel/threads/threads.ts'
import { modalityOf } from '../modality.ts'
import { unread } from './extract-document.ts'
import type { ExtractBounds, ExtractedDocument, ExtractTasks } from './extract-task.ts'

/** Threads that read documents of callers. */
export interface Extractor {
  /** Reads a document. One that needs too much memory or time has no text, and says so. Rejects when `signal` aborts. */
  extract(name: string, bytes: Uint8Array, bounds: ExtractBounds, signal: AbortSignal): Promise<ExtractedDocument>
  close(): Promise<void>
}

const MEMORY_MB = 768
const STILL_MS = 60_000

/** Opens the threads: their memory is bounded, and a file that hangs its reader is given up after a minute. */
export function openExtractor(most: number): Extractor {
  const threads = openThreads<ExtractTasks>({
    file: new URL('extract-thread.ts', import.meta.url),
    name: 'extract',
    most,
    memoryMb: MEMORY_MB,
    stillMs: STILL_MS,
    cores: { beside: 'activities hold a core for their whole work, see activities/compute-slot.ts' },
  })
  return {
    async extract(name, bytes, bounds, signal) {
      try {
        return await threads.run('extract', { name, bytes, bounds }, { signal })
      } catch (error) {
        const isStill = error instanceof ThreadFailure && error.code === 'thread_still'
        if (!isStill && !isOutOfMemory(error)) throw error
        const much = isStill ? `takes more than ${STILL_MS / 1000} s to read` : 'needs too much memory to read'
        return unread(modalityOf(name, bytes), much)
      }
    },
    close: async () => await threads.close(),
  }
}
