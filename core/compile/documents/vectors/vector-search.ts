import { evenShare, type Cores } from '../../../kernel/threads/cores.ts'
import { TaskThread } from '../../../kernel/threads/task-thread.ts'
import { ThreadFailure } from '../../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../../kernel/threads/threads.ts'
import type { VectorMatches, VectorQuery, VectorTasks } from './vector-tasks.ts'

/** A search in the vectors of a namespace; `key` names its matrix as long as rows are only added to it. */
export interface NamespaceQuery extends VectorQuery {
  readonly tenantId: string
  readonly key: string
}

/** Searches vectors beside the event loop. */
export interface VectorSearch {
  /**
   * Returns the nearest vectors: all are compared up to `bruteForceRows`, and until the graph of a larger matrix is
   * built, which begins with its first search; then the graph is searched.
   */
  search(query: NamespaceQuery): Promise<VectorMatches>
  /** Lets go of the graph of a matrix. */
  drop(key: string): void
  close(): Promise<void>
}

/** Rows that are added to a graph at once: a search in another graph waits for so many at most. */
const GROW_ROWS = 64
/** Far longer than one search takes. */
const STILL_MS = 120_000
const FILE = new URL('./vector-thread.ts', import.meta.url)

/** Opens the threads, which start with the first search. */
export function openVectorSearch(cores: Cores, bruteForceRows: number): VectorSearch {
  const scans = openThreads<VectorTasks>({
    file: FILE,
    name: 'vectors',
    most: 1,
    stillMs: STILL_MS,
    cores: cores.short,
  })
  const growing = new Set<string>()
  /** Rows of each built graph. */
  const built = new Map<string, number>()
  let graphs: TaskThread<VectorTasks> | undefined
  let isClosed = false

  const graphThread = (): TaskThread<VectorTasks> => {
    if (graphs === undefined || graphs.hasEnded) {
      built.clear()
      graphs = new TaskThread<VectorTasks>({ file: FILE, name: 'neighbours', onAbort: 'leave', stillMs: STILL_MS })
    }
    return graphs
  }

  const grow = async ({ key, matrix }: NamespaceQuery): Promise<void> => {
    if (growing.has(key)) return
    growing.add(key)
    try {
      for (let toRow = built.get(key) ?? 0; toRow < matrix.count && growing.has(key) && !isClosed;) {
        toRow = Math.min(matrix.count, toRow + GROW_ROWS)
        const rows = await graphThread().run('grow', { key, matrix, toRow })
        if (rows === null) return
        if (growing.has(key)) built.set(key, rows)
      }
    } catch (error) {
      // A thread that has stopped begins again with the next search.
      if (!(error instanceof ThreadFailure)) throw error
    } finally {
      growing.delete(key)
    }
  }

  const scan = async ({ tenantId, matrix, query, most }: NamespaceQuery): Promise<VectorMatches> =>
    await scans.run('scan', { matrix, query, most }, { share: evenShare(tenantId) })

  return {
    async search(query) {
      const { key, matrix } = query
      if (matrix.count <= bruteForceRows) return await scan(query)
      if (built.get(key) === matrix.count) {
        const found = await graphThread()
          .run('find', { key, matrix, query: query.query, most: query.most })
          .catch(() => null)
        if (found !== null) return found
      } else void grow(query)
      return await scan(query)
    },
    drop(key) {
      growing.delete(key)
      if (built.delete(key)) void graphs?.run('drop', { key }).catch(() => undefined)
    },
    async close() {
      isClosed = true
      await scans.close()
      await graphs?.end(new ThreadFailure('thread_closed', 'the search is being closed'))
    },
  }
}
