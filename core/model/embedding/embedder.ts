import { TaskThread } from '../../kernel/threads/task-thread.ts'
import { ThreadFailure } from '../../kernel/threads/thread-failure.ts'
import { KERNEL_ERRORS } from '../../kernel/errors.ts'
import { findEmbeddingFolder } from './embedding-folder.ts'
import type { Embedded, EmbeddedAs, EmbeddingTasks } from './thread/embedding-tasks.ts'

/** Texts to embed. */
export interface EmbedRequest {
  readonly as: EmbeddedAs
  readonly texts: readonly string[]
  readonly signal?: AbortSignal | undefined
  /** Called while the work continues. */
  readonly onProgress?: () => void
}

/** The model of embeddings of this machine: the first in the operator's folders. */
export interface Embedder {
  /** Returns the name of the model; null where no folder has one. Reads only configs. */
  name(): Promise<string | null>
  /** Embeds texts; null where no folder has a model. Throws `invalid_model` for one that cannot be read. */
  embed(request: EmbedRequest): Promise<Embedded | null>
  close(): Promise<void>
}

/** Settings of the model of embeddings. */
export interface EmbedderOptions {
  /** Folders whose sub-folders are bases. */
  readonly folders: readonly string[]
  /** Cores that one operator of the model may use. */
  readonly threads: number
  /** Time after its last text when the model is unloaded. */
  readonly idleCloseMs: number
}

/** Texts of one batch take at most some seconds each, with the largest model of the family. */
const STILL_MS = 15 * 60_000

/**
 * Opens the model when it is first needed, in a thread of its own, and unloads it when it has been idle. It takes no core
 * of the budget: activities hold a slot, and a query is one text.
 */
export function openEmbedder({ folders, threads, idleCloseMs }: EmbedderOptions): Embedder {
  let thread: TaskThread<EmbeddingTasks> | undefined
  let running = 0
  let idle: NodeJS.Timeout | undefined

  const end = async (): Promise<void> => {
    clearTimeout(idle)
    const ended = thread
    thread = undefined
    await ended?.end(new ThreadFailure('thread_closed', 'the model of embeddings is unloaded'))
  }
  const current = (): TaskThread<EmbeddingTasks> => {
    if (thread === undefined || thread.hasEnded) {
      const file = new URL('./thread/embedding-thread.ts', import.meta.url)
      thread = new TaskThread<EmbeddingTasks>({ file, name: 'embedding', onAbort: 'leave', stillMs: STILL_MS })
    }
    return thread
  }
  const name = async (): Promise<string | null> => (await findEmbeddingFolder(folders))?.name ?? null

  return {
    name,
    async embed({ as, texts, signal, onProgress }) {
      if ((await name()) === null) return null
      running++
      clearTimeout(idle)
      try {
        return await current().run(
          'embed',
          { folders, threads, as, texts },
          { signal, ...(onProgress !== undefined && { onProgress }) },
        )
      } catch (error) {
        if (!(error instanceof ThreadFailure) || signal?.aborted === true) throw error
        throw KERNEL_ERRORS.internal('the thread of the model of embeddings has stopped', { cause: error })
      } finally {
        running--
        if (running === 0) idle = setTimeout(() => void end(), idleCloseMs).unref()
      }
    },
    close: end,
  }
}
