import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import { MODEL_ERRORS } from '../../errors.ts'
import { unpackThreadError } from '../../../kernel/threads/thread-error.ts'
import type { ExportFile } from '../export-file.ts'
import type { ExportMessage, ExportTask } from './export-task.ts'

/** Pieces that may wait between the thread and its reader. */
const CREDITS = 4

/**
 * Writes an export in a separate thread, so that the caller's event loop stays free, and passes the file to `take`
 * while it is written. The thread always ends with the call. Throws the errors of `openBaseModel`, `readAdapter` and
 * `exportModel`, `base_mismatch` for a base with other weights, and the signal's reason.
 */
export async function runExport<T>(
  task: ExportTask,
  signal: AbortSignal,
  take: (file: ExportFile) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./export-thread.ts', import.meta.url), { workerData: task })
  const ended = new AbortController()
  const died = (error: Error): void => ended.abort(error)
  worker.on('error', died)
  worker.on('exit', () => died(MODEL_ERRORS.export_failed('the thread of the export ended early')))
  const messages = on(worker, 'message', { signal: AbortSignal.any([signal, ended.signal]) })
  try {
    const first = await nextMessage(messages)
    if (first.type !== 'begin') throw new Error(`a thread began with ${first.type}`)
    worker.postMessage(CREDITS)
    return await take({
      fileName: first.fileName,
      mediaType: first.mediaType,
      async *pieces() {
        for (;;) {
          const message = await nextMessage(messages)
          if (message.type !== 'piece') return
          worker.postMessage(1)
          yield message.bytes
        }
      },
    })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const isEnd = error instanceof Error && error.name === 'AbortError'
    throw ended.signal.aborted && isEnd ? ended.signal.reason : error
  } finally {
    worker.removeAllListeners('exit')
    await worker.terminate()
  }
}

/** Returns the next message of the thread; throws the error that it reports. */
async function nextMessage(messages: AsyncIterator<unknown[]>): Promise<ExportMessage> {
  const { value } = await messages.next()
  const [message]: ExportMessage[] = value
  if (message === undefined) throw new Error('a thread said nothing')
  if (message.type === 'error') throw unpackThreadError(message.error)
  return message
}
