import { writeDataset } from '../../core/compile/rows/intake/dataset.ts'
import type { DatasetSummary } from '../../core/compile/rows/intake/example.ts'
import { examplesFromCsv, examplesFromJsonl } from '../../core/compile/rows/intake/sources.ts'
import type { RunningTask } from '../../core/kernel/threads/serve-tasks.ts'
import type { IntakeTasks, UploadBytes, UploadReport } from './intake-task.ts'

type UploadTask = RunningTask<UploadReport, UploadBytes>

/** Reads an upload and reports its canonical form, chunk by chunk, until its end. */
export async function serveUpload(
  { format, bounds }: IntakeTasks['upload']['input'],
  task: UploadTask,
): Promise<DatasetSummary> {
  const read = format === 'csv' ? examplesFromCsv : examplesFromJsonl
  const progress = { rows: 0 }
  const writer = writeDataset(counted(read(bytesFrom(task, progress), bounds), progress))
  for await (const bytes of writer.chunks) task.tell({ kind: 'chunk', bytes })
  return writer.summary()
}

async function* counted<T>(items: AsyncIterable<T>, progress: { rows: number }): AsyncGenerator<T> {
  for await (const item of items) {
    progress.rows++
    yield item
  }
}

/** Yields the blocks of bytes that the caller sends, and requests each one. */
async function* bytesFrom(task: UploadTask, progress: { readonly rows: number }): AsyncGenerator<Uint8Array> {
  for (;;) {
    task.tell({ kind: 'wants', rows: progress.rows })
    const bytes = await task.next()
    if (bytes === null) return
    yield bytes
  }
}
