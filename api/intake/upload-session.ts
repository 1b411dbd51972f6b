import type { DatasetWriter } from '../../core/compile/rows/intake/dataset.ts'
import type { DatasetSummary } from '../../core/compile/rows/intake/example.ts'
import type { UploadBytes, UploadReport } from './intake-task.ts'

/** Bytes that go to the thread at once. */
const BLOCK_BYTES = 64 * 1024

/** The thread that reads an upload, as the upload sees it. */
export interface UploadThread {
  /** Starts the reader and resolves at its end. Rejects when the upload is bad, when it is aborted, or the thread dies. */
  start(
    onReport: (report: UploadReport, feed: (bytes: UploadBytes) => void) => void,
    signal: AbortSignal,
  ): Promise<DatasetSummary>
  /** Waits for the caller's turn in the thread. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Receives the number of rows that the reader remembers so far. */
  onRows(rows: number): void
  /** Aborted when the upload must end. */
  readonly signal: AbortSignal
}

/**
 * Returns the canonical form of a file, as `writeDataset` does, read in a thread. Sends one block of bytes at a time, and
 * the next one after the consumer has taken the output of the previous one.
 */
export function readUploadBeside(source: AsyncIterable<Uint8Array>, thread: UploadThread): DatasetWriter {
  let summary: DatasetSummary | undefined
  return {
    chunks: read(source, thread, (found) => (summary = found)),
    summary() {
      if (summary === undefined) throw new Error('the upload has not ended')
      return summary
    },
  }
}

/** State of a reader that waits for its caller, or has ended. */
type Rest = Extract<UploadReport, { kind: 'wants' }> | { readonly kind: 'done'; readonly summary: DatasetSummary }

async function* read(
  source: AsyncIterable<Uint8Array>,
  thread: UploadThread,
  finish: (summary: DatasetSummary) => void,
): AsyncGenerator<Uint8Array> {
  const blocks = inBlocks(source)
  const end = new AbortController()
  const signal = AbortSignal.any([end.signal, thread.signal])
  let chunks: Uint8Array[] = []
  let rest = Promise.withResolvers<Rest>()
  let feed: ((bytes: UploadBytes) => void) | undefined
  const onReport = (report: UploadReport, give: (bytes: UploadBytes) => void): void => {
    feed = give
    if (report.kind === 'chunk') chunks.push(report.bytes)
    else rest.resolve(report)
  }
  const unlessFailed = failingWith(
    thread.start(onReport, signal).then((summary) => rest.resolve({ kind: 'done', summary })),
  )
  try {
    let given: UploadBytes | undefined
    for (;;) {
      const found = await thread.inTurn(async () => {
        if (given !== undefined) {
          rest = Promise.withResolvers()
          chunks = []
          feed?.(given)
        }
        return await unlessFailed(rest.promise)
      })
      yield* chunks
      if (found.kind === 'done') {
        finish(found.summary)
        return
      }
      thread.onRows(found.rows)
      const block = await unlessFailed(blocks.next())
      given = block.done === true ? null : block.value
    }
  } finally {
    end.abort()
    // Not waited for: the source may wait for a caller who sends nothing more.
    blocks.return(undefined).catch(() => undefined)
  }
}

/** Returns a function that awaits one promise at a time. Once `reading` fails, that promise and all later ones reject. */
function failingWith(reading: Promise<unknown>): <T>(work: Promise<T>) => Promise<T> {
  let failure: { readonly error: unknown } | undefined
  let fail: (error: unknown) => void = () => {}
  reading.catch((error: unknown) => {
    failure = { error }
    fail(error)
  })
  return async <T>(work: Promise<T>) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    fail = reject
    work.then(resolve, reject)
    if (failure !== undefined) reject(failure.error)
    return await promise
  }
}

/** Yields the same bytes in blocks: a parser of forms splits them at every byte that could begin a boundary. */
async function* inBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    pending.push(chunk)
    size += chunk.length
    if (size < BLOCK_BYTES) continue
    yield Buffer.concat(pending)
    pending = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(pending)
}
