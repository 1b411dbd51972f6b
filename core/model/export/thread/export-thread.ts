import { MODEL_ERRORS } from '../../errors.ts'
import { readAdapter } from '../../files/adapter-files.ts'
import { openBaseModel } from '../../files/base-model.ts'
import { readBaseTexts } from '../base-texts.ts'
import { exportModel } from '../export-model.ts'
import type { ExportTask, ExportTasks } from './export-task.ts'
import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import type { ExportFile } from '../export-file.ts'

/** Opens the base and begins the file. */
async function openFile(task: ExportTask): Promise<ExportFile> {
  const base = await openBaseModel(task.directory)
  if (base.model.weightsHash !== task.origin.baseWeightsHash) {
    throw MODEL_ERRORS.base_mismatch(
      `the base ${task.origin.baseModel} has different weights from the base that the adapter was fitted on`,
    )
  }
  return exportModel(
    {
      origin: task.origin,
      base,
      texts: await readBaseTexts(task.directory),
      adapter: readAdapter(task.adapterFiles, base.model.config),
    },
    task.choice,
  )
}

serveTasks<ExportTasks>({
  write: async (input, task) => {
    const file = await openFile(input)
    task.tell({ kind: 'begin', fileName: file.fileName, mediaType: file.mediaType })
    let credits = 0
    for await (const piece of file.pieces()) {
      while (credits === 0) credits += await task.next()
      credits--
      // A copy of its own: what is sent is moved, and a piece may be part of something larger.
      const bytes = Uint8Array.from(piece)
      task.tell({ kind: 'piece', bytes }, [bytes.buffer])
    }
    return null
  },
})
