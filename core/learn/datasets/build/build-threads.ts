import { runInThread } from '../../../kernel/threads/task-thread.ts'
import { openThreads } from '../../../kernel/threads/threads.ts'
import { diffIndexes, type IndexDiff } from '../index/diff-indexes.ts'
import type { BuildInput, BuildSummary, BuildTasks } from './build-task.ts'

/** Indexes up to which the caller compares them itself: of some 8,000 rows each. */
const LARGE_BYTES = 1024 * 1024
/** Heap of a thread beside its typed arrays, MiB. */
const MEMORY_MB = 256
/** Of that, for values that are made and forgotten at once, MiB. */
const YOUNG_MB = 16
/** A step of a large build takes minutes at most, milliseconds. */
const STILL_MS = 10 * 60_000
/** Time without a build after which the last thread ends and gives its memory back. */
const LAST_IDLE_MS = 60_000

const THREAD = {
  file: new URL('./build-thread.ts', import.meta.url),
  name: 'dataset',
  memoryMb: MEMORY_MB,
  youngMb: YOUNG_MB,
  stillMs: STILL_MS,
} as const

/** Threads that build versions of datasets. One that was needed stays for a while: its start takes longer than a small build. */
export interface BuildThreads {
  /**
   * Builds a version; its caller holds a core. Throws as `buildVersion`, and the signal's reason once the thread writes
   * nothing more: then the folder of the build can go.
   */
  build(
    input: BuildInput,
    task: { readonly signal: AbortSignal; readonly onProgress: (step: string, done: number) => void },
  ): Promise<BuildSummary>
  /** Ends all threads. */
  close(): Promise<void>
}

/** Opens the threads, at most `most`. They hold no memory until they are needed. */
export function openBuildThreads(most: number): BuildThreads {
  const threads = openThreads<BuildTasks>({
    ...THREAD,
    most,
    outlastsThread: true,
    lastIdleMs: LAST_IDLE_MS,
    cores: { beside: 'activities hold a core for a whole build, see activities/compute-slot.ts' },
  })
  return {
    build: async (input, { signal, onProgress }) =>
      await threads.run('build', input, { signal, onProgress: ({ step, done }) => onProgress(step, done) }),
    close: async () => await threads.close(),
  }
}

/** Compares two indexes: large ones in a thread of its own, since sorting a million rows takes seconds. */
export async function runDiff(before: Buffer, after: Buffer, most: number): Promise<IndexDiff> {
  if (before.length + after.length <= LARGE_BYTES) return diffIndexes(before, after, most)
  // Copies with memory of their own, which goes over.
  const input = { before: Uint8Array.from(before), after: Uint8Array.from(after), most }
  return await runInThread<BuildTasks, 'diff'>({ ...THREAD, onAbort: 'end' }, 'diff', input, {
    moved: [input.before.buffer, input.after.buffer],
  })
}
