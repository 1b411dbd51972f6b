import { HeldRows, type GivenRows } from '../../compile/wire/given-rows.ts'
import { invalidField, KERNEL_ERRORS } from '../../kernel/errors.ts'
import { evenShare, type Cores } from '../../kernel/threads/cores.ts'
import { isOutOfMemory, ThreadFailure } from '../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../kernel/threads/threads.ts'
import type { RowsFile } from '../distill/rows-file/check-rows.ts'
import { packCases, type SignificanceInput, type SignificanceReport } from '../gate/posted/significance.ts'
import { prepareCorpus, type GivenCorpus, type PreparedCorpus } from '../holdout/prepare-corpus.ts'
import type { LearnTasks } from './learn-task.ts'

/** Work of gates, holdouts and files to learn from, beside the event loop. */
export interface LearnThread {
  /** Reads the rows of a holdout. Throws what `prepareCorpus` throws, and `busy` for rows that hold too much. */
  corpus(rows: GivenRows, given: Omit<GivenCorpus, 'rows'>): Promise<PreparedCorpus>
  /**
   * Checks the rows of a file. Throws what `checkRows` throws, and `validation_failed` for a file that takes too much time or
   * memory to read: a damaged Parquet file can state any number of values.
   */
  rows(tenantId: string, file: RowsFile): Promise<number>
  /** Throws what `testSignificance` throws. */
  significance(tenantId: string, input: SignificanceInput): Promise<SignificanceReport>
  close(): Promise<void>
}

/** Lists up to this long are read at once: the way to the thread and back takes as long. */
const FEW_ROWS = 200
const MEMORY_MB = 512
const STILL_MS = 120_000
/** Reading a file of the largest size takes seconds. */
const ROWS_STILL_MS = 30_000

/** Opens the thread, which starts with its first task. */
export function openLearnThread(cores: Cores): LearnThread {
  const threads = openThreads<LearnTasks>({
    file: new URL('./learn-thread.ts', import.meta.url),
    name: 'learn',
    most: 1,
    memoryMb: MEMORY_MB,
    stillMs: STILL_MS,
    cores: cores.short,
  })
  return {
    async corpus(rows, given) {
      if (!(rows instanceof HeldRows) && rows.length <= FEW_ROWS) return prepareCorpus({ ...given, rows })
      const json = rows instanceof HeldRows ? rows.json : Buffer.from(JSON.stringify(rows))
      try {
        return await threads.run('corpus', { ...given, json }, { share: evenShare(given.tenantId) })
      } catch (error) {
        if (!isOutOfMemory(error)) throw error
        throw KERNEL_ERRORS.busy('the rows hold too much to be read together', { retryAfterS: 2, cause: error })
      }
    },
    async rows(tenantId, file) {
      try {
        return await threads.run('rows', file, { share: evenShare(tenantId), stillMs: ROWS_STILL_MS })
      } catch (error) {
        const isStill = error instanceof ThreadFailure && error.code === 'thread_still'
        if (!isStill && !isOutOfMemory(error)) throw error
        const much = isStill ? `more than ${ROWS_STILL_MS / 1000} s` : 'too much memory'
        throw invalidField('pairs_path', `takes ${much} to read; write the file again`)
      }
    },
    async significance(tenantId, { candidate, baseline, options }) {
      const packed = { candidate: packCases(candidate), baseline: packCases(baseline), options }
      return await threads.run('significance', packed, { share: evenShare(tenantId) })
    },
    close: async () => await threads.close(),
  }
}
