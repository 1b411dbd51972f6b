import { KERNEL_ERRORS } from '../../../../kernel/errors.ts'
import { evenShare, type Cores } from '../../../../kernel/threads/cores.ts'
import { isOutOfMemory } from '../../../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../../../kernel/threads/threads.ts'
import type { RowResultRecord } from '../row-result.ts'
import type { ArchivePair, ComparedArchives } from '../../diff/compare-archives.ts'
import type { DiagnosisTasks, FoundModes, MatchInput } from './diagnosis-task.ts'
import type { ResultSources, RowSources } from './row-sources.ts'

/** Looks at the rows of artifacts beside the event loop. */
export interface Diagnosis {
  /** Throws `busy` for rows that hold too much. */
  modes(tenantId: string, sources: RowSources): Promise<FoundModes>
  /** Reads the results of rows out of an archive. */
  records(tenantId: string, sources: ResultSources): Promise<readonly RowResultRecord[]>
  /** For each list of conditions, returns the ids of the pairs that meet all of them. */
  match(tenantId: string, input: MatchInput): Promise<readonly (readonly string[])[]>
  /** Compares two artifacts. Throws `busy` for rows that hold too much, and `invalid_archive`. */
  compare(tenantId: string, pair: ArchivePair): Promise<ComparedArchives>
  close(): Promise<void>
}

/** Of 10,000 rows with their facts. */
const MEMORY_MB = 1024
/** Far longer than one report takes. */
const STILL_MS = 120_000

/** Opens the thread. It starts beforehand: its start takes longer than a comparison, for which a person waits. */
export function openDiagnosis(cores: Cores): Diagnosis {
  const threads = openThreads<DiagnosisTasks>({
    file: new URL('./diagnosis-thread.ts', import.meta.url),
    name: 'diagnosis',
    most: 1,
    isWarm: true,
    memoryMb: MEMORY_MB,
    stillMs: STILL_MS,
    cores: cores.short,
  })
  const guarded = async <T>(run: Promise<T>): Promise<T> => {
    try {
      return await run
    } catch (error) {
      if (!isOutOfMemory(error)) throw error
      throw KERNEL_ERRORS.busy('the rows hold too much to be looked at together', { retryAfterS: 2, cause: error })
    }
  }
  return {
    modes: async (tenantId, sources) => await guarded(threads.run('modes', sources, { share: evenShare(tenantId) })),
    records: async (tenantId, sources) =>
      await guarded(threads.run('records', sources, { share: evenShare(tenantId) })),
    match: async (tenantId, input) => await guarded(threads.run('match', input, { share: evenShare(tenantId) })),
    compare: async (tenantId, pair) => await guarded(threads.run('compare', pair, { share: evenShare(tenantId) })),
    close: async () => await threads.close(),
  }
}
