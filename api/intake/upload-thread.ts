import { once } from 'node:events'
import type { MessagePort } from 'node:worker_threads'
import { writeDataset } from '../../core/compile/rows/intake/dataset.ts'
import { examplesFromCsv, examplesFromJsonl } from '../../core/compile/rows/intake/sources.ts'
import { packThreadError } from '../../core/kernel/threads/thread-error.ts'
import type { IntakeTasks, UploadBytes, UploadReport } from './intake-task.ts'

/** Reads an upload and reports its canonical form, chunk by chunk, until its end. */
export async function serveUpload({ format, bounds, port }: IntakeTasks['upload']['input']): Promise<void> {
  const say = (report: UploadReport) => port.postMessage(report)
  const read = format === 'csv' ? examplesFromCsv : examplesFromJsonl
  const progress = { rows: 0 }
  try {
    const writer = writeDataset(counted(read(bytesFrom(port, progress), bounds), progress))
    for await (const bytes of writer.chunks) say({ kind: 'chunk', bytes })
    say({ kind: 'done', summary: writer.summary() })
  } catch (error) {
    say({ kind: 'failed', error: packThreadError(error) })
  } finally {
    port.close()
  }
}

async function* counted<T>(items: AsyncIterable<T>, progress: { rows: number }): AsyncGenerator<T> {
  for await (const item of items) {
    progress.rows++
    yield item
  }
}

/** The bytes that the other side sends, asked for one by one. */
async function* bytesFrom(port: MessagePort, progress: { readonly rows: number }): AsyncGenerator<Uint8Array> {
  const closing = new AbortController()
  port.once('close', () => closing.abort())
  for (;;) {
    const answer = once(port, 'message', { signal: closing.signal })
    port.postMessage({ kind: 'wants', rows: progress.rows } satisfies UploadReport)
    const [bytes]: UploadBytes[] = await answer
    if (bytes === undefined || bytes === null) return
    yield bytes
  }
}
