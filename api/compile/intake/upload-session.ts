import type { UploadBytes, UploadReport } from './intake-task.ts'

/** Bytes that go to the thread at once. */
const BLOCK_BYTES = 64 * 1024

/** The thread that reads a file, as the file sees it. */
export interface FileThread<Result> {
  /** Starts the reader and resolves at its end. Rejects when the upload is bad, when it is aborted, or the thread dies. */
  start(
    onReport: (report: UploadReport, feed: (bytes: UploadBytes) => void) => void,
    signal: AbortSignal,
  ): Promise<Result>
  /** Waits for the caller's turn in the thread. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Receives the number of rows that the reader remembers so far. */
  onRows(rows: number): void
  /** Aborted when the upload must end. */
  readonly signal: AbortSignal
}

/** A file that is read in a thread. */
export interface FileReading<Result> {
  /** Output of the thread. */
  readonly chunks: AsyncGenerator<Uint8Array>
  /** Returns the thread's result; complete once `chunks` has ended. */
  readonly result: () => Result
}

/**
 * Reads a file in a thread, from its beginning each time the thread asks for that. Sends one block of bytes at a time,
 * and the next one after the consumer has taken the output of the previous one.
 */
export function readFileBeside<Result>(
  source: () => AsyncIterable<Uint8Array>,
  thread: FileThread<Result>,
): FileReading<Result> {
  let done: { readonly result: Result } | undefined
  return {
    chunks: read(source, thread, (result) => (done = { result })),
    result() {
      if (done === undefined) throw new Error('the file has not ended')
      return done.result
    },
  }
}

/** State of a reader that waits for its caller, or has ended. */
type Rest<Result> = Extract<UploadReport, { kind: 'wants' }> | { readonly kind: 'done'; readonly result: Result }

async function* read<Result>(
  source: () => AsyncIterable<Uint8Array>,
  thread: FileThread<Result>,
  finish: (result: Result) => void,
): AsyncGenerator<Uint8Array> {
  let blocks = inBlocks(source())
  const end = new AbortController()
  const signal = AbortSignal.any([end.signal, thread.signal])
  let chunks: Uint8Array[] = []
  let rest = Promise.withResolvers<Rest<Result>>()
  let feed: ((bytes: UploadBytes) => void) | undefined
  const onReport = (report: UploadReport, give: (bytes: UploadBytes) => void): void => {
    feed = give
    if (report.kind === 'chunk') chunks.push(report.bytes)
    else rest.resolve(report)
  }
  const unlessFailed = failingWith(
    thread.start(onReport, signal).then((result) => rest.resolve({ kind: 'done', result })),
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
        finish(found.result)
        return
      }
      thread.onRows(found.rows)
      if (found.isRewound) {
        await blocks.return(undefined)
        blocks = inBlocks(source())
      }
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
