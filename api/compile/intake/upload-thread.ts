import { writeDataset } from '../../../core/compile/rows/intake/dataset.ts'
import type { DatasetSummary, Example } from '../../../core/compile/rows/intake/example.ts'
import { UnansweredCensus } from '../../../core/compile/rows/intake/unanswered.ts'
import { examplesFromJsonl } from '../../../core/compile/rows/intake/sources.ts'
import { openTable } from '../../../core/compile/rows/table/open-table.ts'
import { examplesOfFile } from '../../../core/compile/rows/table/table-examples.ts'
import { previewTable, type TablePreview } from '../../../core/compile/rows/table/table-preview.ts'
import type { RunningTask } from '../../../core/kernel/threads/serve-tasks.ts'
import type { GivenFile, IntakeTasks, UploadBytes, UploadReport } from './intake-task.ts'

type FileTask = RunningTask<UploadReport, UploadBytes>

/** Reads an upload and reports its canonical form, chunk by chunk, until its end. */
export async function serveUpload(
  { file, bounds }: IntakeTasks['upload']['input'],
  task: FileTask,
): Promise<DatasetSummary> {
  const progress = { rows: 0 }
  const bytes = passes(task, progress)
  if (file.isStreamed) {
    const unanswered = new UnansweredCensus(file.mapping.empty_answers, bounds.maxUnlabelled)
    const examples = examplesFromJsonl(bytes(), bounds, { unanswered })
    return withUnanswered(await write(examples, { progress, file }, task), unanswered)
  }
  const { examples, withLines, unanswered, inputColumn } = examplesOfFile(file, bytes, bounds)
  try {
    const summary = withUnanswered(await write(examples, { progress, file }, task), unanswered)
    const column = inputColumn()
    return { ...summary, ...(column !== undefined && { inputColumn: column }) }
  } catch (error) {
    throw withLines(error)
  }
}

/** Adds the rows that were left out to those that the dataset keeps without an answer. */
function withUnanswered(summary: DatasetSummary, { leftOut, rows: { lines } }: UnansweredCensus): DatasetSummary {
  return { ...summary, unanswered: { count: summary.unanswered.count + leftOut, lines } }
}

/** Reads a file and says how an upload of it would be read. */
export async function serveInspection(
  { file, bounds }: IntakeTasks['inspect']['input'],
  task: FileTask,
): Promise<TablePreview> {
  const { format, mapping, sheet } = file
  const named = sheet === undefined ? { format } : { format, sheet: sheet.sheet }
  const table = await openTable(named, passes(task, { rows: 0 }), mapping, bounds)
  return await previewTable(table, mapping, bounds, sheet)
}

async function write(
  examples: AsyncIterable<Example>,
  { progress, file }: { readonly progress: { rows: number }; readonly file: GivenFile },
  task: FileTask,
): Promise<DatasetSummary> {
  const writer = writeDataset(counted(examples, progress), file)
  for await (const bytes of writer.chunks) task.tell({ kind: 'chunk', bytes })
  return writer.summary()
}

async function* counted<T>(items: AsyncIterable<T>, progress: { rows: number }): AsyncGenerator<T> {
  for await (const item of items) {
    progress.rows++
    yield item
  }
}

/** Returns a function that yields the blocks of bytes that the caller sends, from the first one each time. */
function passes(task: FileTask, progress: { readonly rows: number }): () => AsyncGenerator<Uint8Array> {
  let count = 0
  return async function* () {
    let isRewound = count++ > 0
    for (;;) {
      task.tell({ kind: 'wants', rows: progress.rows, isRewound })
      isRewound = false
      const bytes = await task.next()
      if (bytes === null) return
      yield bytes
    }
  }
}
