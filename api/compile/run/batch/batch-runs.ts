import type { Reread } from '../../../../core/compile/rows/table/open-table.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { evenShare, onCore, type Cores } from '../../../../core/kernel/threads/cores.ts'
import { isOutOfMemory } from '../../../../core/kernel/threads/thread-failure.ts'
import { openThreads } from '../../../../core/kernel/threads/threads.ts'
import type { BatchFacts, BatchFeed, BatchInput, BatchReport, BatchStart, BatchTasks } from './batch-task.ts'

/** Chunks of a batch in their order, computed when they are asked for. */
export type ChunkReport = Extract<BatchReport, { kind: 'chunk' | 'rows' }>

/** A file whose rows wait to be run. End it in the end. */
export interface BatchRun {
  readonly facts: BatchFacts
  /** Starts the rows; called once. Chunks throw what ends the batch as a whole, and `busy`. */
  start(start: Omit<BatchStart, 'kind'>): AsyncGenerator<ChunkReport>
  end(): void
}

/** Runs batches in threads of low priority, in which callers take turns. */
export interface BatchRuns {
  /** Opens a file. Throws what makes it unreadable, `no_rows`, `too_many_rows`, and `busy`. */
  open(input: BatchInput, bytes: Reread, caller: string): Promise<BatchRun>
  close(): Promise<void>
}

const MEMORY_MB = 512
const YOUNG_MB = 16
const BATCHES_PER_THREAD = 64
/** Time that one turn may take, milliseconds: far longer than a chunk or a block. */
const STILL_MS = 60_000

/** Opens the threads of batches; the first starts with the first batch. */
export function openBatchRuns(cores: Cores): BatchRuns {
  const threads = openThreads<BatchTasks>({
    file: new URL('./batch-thread.ts', import.meta.url),
    name: 'batch',
    most: cores.count,
    memoryMb: MEMORY_MB,
    youngMb: YOUNG_MB,
    cores: { beside: 'a core is taken for each turn: a batch waits for its reader without one' },
    tasksPerThread: BATCHES_PER_THREAD,
  })
  return {
    async open(input, bytes, caller) {
      const turns = new Turns(bytes, async (work) => await onCore(cores.short, evenShare(caller), undefined, work))
      const done = threads
        .run('batch', input, { onProgress: (report, feed) => turns.take(report, feed), signal: turns.signal })
        .then(
          () => turns.finish(),
          (error: unknown) => turns.fail(isOutOfMemory(error) ? busy(error) : error),
        )
      void done
      try {
        const opened = await turns.advance(null)
        if (opened?.kind !== 'opened') throw new Error('a batch opens its file first')
        return {
          facts: opened.facts,
          start: (start) => chunksOf(turns, { kind: 'start', ...start }),
          end: () => turns.end(),
        }
      } catch (error) {
        turns.end()
        throw error
      }
    },
    close: async () => await threads.close(),
  }
}

async function* chunksOf(turns: Turns, start: BatchStart): AsyncGenerator<ChunkReport> {
  // One chunk is computed while the one before it is settled and sent.
  let next = turns.advance(start)
  for (;;) {
    const report = await next
    if (report === null) return
    if (report.kind === 'opened') throw new Error('a batch opens its file once')
    next = turns.advance({ kind: 'next' })
    // Reported where it is awaited; until then it must not count as unhandled.
    next.catch(() => undefined)
    yield report
  }
}

/** The turns of one batch in its thread: an order, and the report that follows it. */
class Turns {
  readonly #bytes: Reread
  readonly #onCore: <T>(work: () => Promise<T>) => Promise<T>
  readonly #ending = new AbortController()
  #source: AsyncIterator<Uint8Array> | undefined
  #feed: ((value: BatchFeed) => void) | undefined
  #report = Promise.withResolvers<BatchReport | null>()
  #failure: { readonly error: unknown } | undefined

  constructor(bytes: Reread, run: <T>(work: () => Promise<T>) => Promise<T>) {
    this.#bytes = bytes
    this.#onCore = run
    this.#report.promise.catch(() => undefined)
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  take(report: BatchReport, feed: (value: BatchFeed) => void): void {
    this.#feed = feed
    this.#report.resolve(report)
  }

  finish(): void {
    this.#report.resolve(null)
  }

  fail(error: unknown): void {
    this.#failure = { error }
    this.#report.reject(error)
  }

  end(): void {
    this.#ending.abort(new Error('the batch is over'))
    void this.#source?.return?.()
  }

  /** Gives an order, and returns the report after it; blocks of the file are handed over on the way. */
  async advance(order: BatchFeed | null): Promise<Exclude<BatchReport, { kind: 'wants' }> | null> {
    let report = await this.#exchange(order)
    while (report?.kind === 'wants') {
      if (report.isRewound || this.#source === undefined) {
        void this.#source?.return?.()
        this.#source = this.#bytes()[Symbol.asyncIterator]()
      }
      const { done, value } = await this.#source.next()
      report = await this.#exchange({ kind: 'bytes', bytes: done === true ? null : value })
    }
    return report
  }

  async #exchange(order: BatchFeed | null): Promise<BatchReport | null> {
    if (order === null) return await this.#report.promise
    return await this.#onCore(async () => {
      if (this.#failure !== undefined) throw this.#failure.error
      this.#report = Promise.withResolvers()
      this.#report.promise.catch(() => undefined)
      this.#feed?.(order)
      return await this.#withinTime(this.#report.promise)
    })
  }

  async #withinTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('a thread of batches stands still')), STILL_MS)
    })
    return await Promise.race([work, late]).finally(() => clearTimeout(timer))
  }
}

function busy(cause: unknown) {
  return KERNEL_ERRORS.busy('running batches use all available memory; try again shortly, or send fewer rows', {
    retryAfterS: 5,
    cause,
  })
}
