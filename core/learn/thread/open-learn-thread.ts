import { HeldRows, type GivenRows } from '../../compile/wire/given-rows.ts'
import { KERNEL_ERRORS } from '../../kernel/errors.ts'
import { evenShare, type Cores } from '../../kernel/threads/cores.ts'
import { isOutOfMemory } from '../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../kernel/threads/threads.ts'
import { packCases, type SignificanceInput, type SignificanceReport } from '../gate/posted/significance.ts'
import { prepareCorpus, type GivenCorpus, type PreparedCorpus } from '../holdout/prepare-corpus.ts'
import type { LearnTasks } from './learn-task.ts'

/** Work of gates and holdouts beside the event loop. */
export interface LearnThread {
  /** Reads the rows of a holdout. Throws what `prepareCorpus` throws, and `busy` for rows that hold too much. */
  corpus(rows: GivenRows, given: Omit<GivenCorpus, 'rows'>): Promise<PreparedCorpus>
  /** Throws what `testSignificance` throws. */
  significance(tenantId: string, input: SignificanceInput): Promise<SignificanceReport>
  close(): Promise<void>
}

/** Lists up to this long are read at once: the way to the thread and back takes as long. */
const FEW_ROWS = 200
const MEMORY_MB = 512
const STILL_MS = 120_000

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
    async significance(tenantId, { candidate, baseline, options }) {
      const packed = { candidate: packCases(candidate), baseline: packCases(baseline), options }
      return await threads.run('significance', packed, { share: evenShare(tenantId) })
    },
    close: async () => await threads.close(),
  }
}
