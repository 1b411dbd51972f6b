import { runInThread, type ThreadOptions } from '../../../kernel/threads/task-thread.ts'
import { diffIndexes, type IndexDiff } from '../index/diff-indexes.ts'
import type { BuildInput, BuildSummary, BuildTasks } from './build-task.ts'

/** Indexes up to which the caller compares them itself: of some 8,000 rows each. */
const LARGE_BYTES = 1024 * 1024
/** Heap of the thread beside its typed arrays, MiB. */
const MEMORY_MB = 256
/** Of that, for values that are made and forgotten at once, MiB. */
const YOUNG_MB = 16
/** A step of a large build takes minutes at most, milliseconds. */
const STILL_MS = 10 * 60_000

const THREAD: ThreadOptions = {
  file: new URL('./build-thread.ts', import.meta.url),
  name: 'dataset',
  memoryMb: MEMORY_MB,
  youngMb: YOUNG_MB,
  onAbort: 'end',
  stillMs: STILL_MS,
}

/** Builds a version in a thread of its own. Throws as `buildVersion`, and the signal's reason. */
export async function runBuild(
  input: BuildInput,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (step: string, done: number) => void },
): Promise<BuildSummary> {
  return await runInThread<BuildTasks, 'build'>(THREAD, 'build', input, {
    signal,
    onProgress: ({ step, done }) => onProgress(step, done),
  })
}

/** Compares two indexes: large ones in a thread of its own, since sorting a million rows takes seconds. */
export async function runDiff(before: Buffer, after: Buffer, most: number): Promise<IndexDiff> {
  if (before.length + after.length <= LARGE_BYTES) return diffIndexes(before, after, most)
  // Copies with memory of their own, which goes over.
  const input = { before: Uint8Array.from(before), after: Uint8Array.from(after), most }
  return await runInThread<BuildTasks, 'diff'>(THREAD, 'diff', input, {
    moved: [input.before.buffer, input.after.buffer],
  })
}
