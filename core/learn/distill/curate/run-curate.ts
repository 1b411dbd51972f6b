import { runInThread, type ThreadOptions } from '../../../kernel/threads/task-thread.ts'
import type { Curated, CurateInput, CurateTasks } from './curate-task.ts'

const THREAD: ThreadOptions = {
  file: new URL('./curate-thread.ts', import.meta.url),
  name: 'curation',
  memoryMb: 1024,
  onAbort: 'end',
  stillMs: 10 * 60_000,
}

/** Finds rows whose label is probably wrong, in a thread of its own. Throws the signal's reason. */
export async function runCurate(input: CurateInput, signal: AbortSignal): Promise<Curated> {
  return await runInThread<CurateTasks, 'curate'>(THREAD, 'curate', input, { signal })
}
