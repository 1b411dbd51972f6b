import { runInThread } from '../../../kernel/threads/task-thread.ts'
import type { BuildInput, BuildSummary, BuildTasks } from './build-task.ts'

/** Heap of the thread beside its typed arrays, MiB. */
const MEMORY_MB = 256
/** Of that, for values that are made and forgotten at once, MiB. */
const YOUNG_MB = 16
/** A step of a large build takes minutes at most, milliseconds. */
const STILL_MS = 10 * 60_000

/** Builds a version in a thread of its own. Throws as `buildVersion`, and the signal's reason. */
export async function runBuild(
  input: BuildInput,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (step: string, done: number) => void },
): Promise<BuildSummary> {
  return await runInThread<BuildTasks, 'build'>(
    {
      file: new URL('./build-thread.ts', import.meta.url),
      name: 'dataset',
      memoryMb: MEMORY_MB,
      youngMb: YOUNG_MB,
      onAbort: 'end',
      stillMs: STILL_MS,
    },
    'build',
    input,
    { signal, onProgress: ({ step, done }) => onProgress(step, done) },
  )
}
