import { invalidField } from '../../../kernel/errors.ts'
import { evenShare, type Cores } from '../../../kernel/threads/cores.ts'
import { isOutOfMemory, ThreadFailure } from '../../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../../kernel/threads/threads.ts'
import type { CheckedRows, RowsFile } from './check-rows.ts'
import type { RowsTasks } from './rows-task.ts'

/** Threads that check files of rows to learn from, since a damaged file can hold what reads it for minutes. */
export interface RowsThreads {
  /**
   * Checks the rows of a file for a tenant. Throws as `checkRows`, the signal's reason, and `validation_failed` for a file that takes
   * too much time or memory to read.
   */
  check(tenantId: string, file: RowsFile, signal: AbortSignal): Promise<CheckedRows>
  close(): Promise<void>
}

const MOST = 2
const MEMORY_MB = 512
/** Time without another row. A damaged Parquet file can state any number of values for a row. */
const STILL_MS = 15_000

/** Opens the threads. They hold no memory until they are needed. */
export function openRowsThreads(cores: Cores): RowsThreads {
  const threads = openThreads<RowsTasks>({
    file: new URL('./rows-thread.ts', import.meta.url),
    name: 'rows',
    most: MOST,
    memoryMb: MEMORY_MB,
    stillMs: STILL_MS,
    cores: cores.short,
  })
  return {
    async check(tenantId, file, signal) {
      try {
        return await threads.run('check', file, { share: evenShare(tenantId), signal })
      } catch (error) {
        const isStill = error instanceof ThreadFailure && error.code === 'thread_still'
        if (!isStill && !isOutOfMemory(error)) throw error
        const much = isStill ? `more than ${STILL_MS / 1000} s for a row` : 'too much memory'
        throw invalidField('pairs_path', `takes ${much} to read; write the file again`)
      }
    },
    close: async () => await threads.close(),
  }
}
