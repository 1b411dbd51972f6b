import { parentPort, workerData } from 'node:worker_threads'
import { MODEL_ERRORS } from '../../errors.ts'
import { packThreadError } from '../../../kernel/threads/thread-error.ts'
import { readAdapter } from '../../files/adapter-files.ts'
import { openBaseModel } from '../../files/base-model.ts'
import { readBaseTexts } from '../base-texts.ts'
import { exportModel } from '../export-model.ts'
import type { ExportMessage, ExportTask } from './export-task.ts'

/** The thread of one export: opens the base, writes the file piece by piece, and ends. */
async function main(task: ExportTask): Promise<void> {
  const base = await openBaseModel(task.directory)
  if (base.model.weightsHash !== task.origin.baseWeightsHash) {
    throw MODEL_ERRORS.base_mismatch(
      `the base ${task.origin.baseModel} has other weights than the one that the adapter was fitted on`,
    )
  }
  const file = exportModel(
    {
      origin: task.origin,
      base,
      texts: await readBaseTexts(task.directory),
      adapter: readAdapter(task.adapterFiles, base.model.config),
    },
    task.choice,
  )
  send({ type: 'begin', fileName: file.fileName, mediaType: file.mediaType })
  for await (const piece of file.pieces()) {
    await credit()
    // A separate copy: sent buffers are transferred, and a piece may be part of a larger buffer.
    const bytes = Uint8Array.from(piece)
    parentPort?.postMessage({ type: 'piece', bytes } satisfies ExportMessage, [bytes.buffer])
  }
  send({ type: 'end' })
}

let credits = 0
let waiting: (() => void) | undefined

/** Resolves when the reader requests another piece. */
async function credit(): Promise<void> {
  while (credits === 0) await new Promise<void>((resolve) => (waiting = resolve))
  credits--
}

function send(message: ExportMessage): void {
  parentPort?.postMessage(message)
}

parentPort?.on('message', (count: number) => {
  credits += count
  waiting?.()
})
try {
  const task: ExportTask = workerData
  await main(task)
} catch (error) {
  send({ type: 'error', error: packThreadError(error) })
}
parentPort?.close()
