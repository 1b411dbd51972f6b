import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { DatasetWriter } from '../../core/compile/rows/intake/dataset.ts'
import type { DatasetSummary } from '../../core/compile/rows/intake/example.ts'
import { unpackThreadError } from '../../core/kernel/threads/thread-error.ts'
import type { UploadBytes, UploadReport } from './intake-task.ts'

/** Bytes that go to the thread at once. */
const BLOCK_BYTES = 64 * 1024

/** The thread that reads an upload, as the upload sees it. */
export interface UploadThread {
  /** Starts the reader at the other end of the port. Rejects when the thread dies. */
  start(port: MessagePort): Promise<unknown>
  /** Waits for the caller's turn in the thread. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Receives the number of rows that the reader remembers so far. */
  onRows(rows: number): void
  /** Aborted when the upload must end. */
  readonly signal: AbortSignal
}

/**
 * The canonical form of a file that is read beside the event loop, as `writeDataset` gives it. Of the bytes a block at a
 * time is on its way, and the next is asked for when what came of it was taken.
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

async function* read(
  source: AsyncIterable<Uint8Array>,
  thread: UploadThread,
  finish: (summary: DatasetSummary) => void,
): AsyncGenerator<Uint8Array> {
  const { port1: port, port2 } = new MessageChannel()
  const blocks = inBlocks(source)
  const end = new AbortController()
  const signal = AbortSignal.any([end.signal, thread.signal])
  thread.start(port2).catch((error: unknown) => end.abort(error))
  try {
    let given: UploadBytes | undefined
    for (;;) {
      const chunks: Uint8Array[] = []
      const last = await thread.inTurn(async () => {
        const heard = listen(port, signal, chunks)
        if (given !== undefined) port.postMessage(given)
        return await heard
      })
      yield* chunks
      if (last.kind === 'failed') throw unpackThreadError(last.error)
      if (last.kind === 'done') {
        finish(last.summary)
        return
      }
      thread.onRows(last.rows)
      const block = await unlessAborted(blocks.next(), signal)
      given = block.done === true ? null : block.value
    }
  } finally {
    port.close()
    // Not waited for: the source may wait for a caller who sends nothing more.
    blocks.return(undefined).catch(() => undefined)
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const onEnd = () => reject(signal.reason)
  signal.addEventListener('abort', onEnd)
  if (signal.aborted) onEnd()
  work.then(resolve, reject)
  return await promise.finally(() => signal.removeEventListener('abort', onEnd))
}

/** Receives messages of the reader until it wants more bytes or has finished; appends its chunks to `chunks`. */
async function listen(
  port: MessagePort,
  signal: AbortSignal,
  chunks: Uint8Array[],
): Promise<Extract<UploadReport, { kind: 'wants' | 'done' | 'failed' }>> {
  return await new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      port.off('message', onReport)
      signal.removeEventListener('abort', onEnd)
      act()
    }
    const onEnd = () => settle(() => reject(signal.reason))
    const onReport = (report: UploadReport) => {
      if (report.kind === 'chunk') chunks.push(report.bytes)
      else settle(() => resolve(report))
    }
    port.on('message', onReport)
    signal.addEventListener('abort', onEnd)
    if (signal.aborted) onEnd()
  })
}

/** The same bytes in blocks: a parser of forms cuts them up at every byte that could begin a boundary. */
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
