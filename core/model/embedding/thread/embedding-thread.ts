import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { lowerThreadPriority } from '../../../kernel/threads/thread-priority.ts'
import { findEmbeddingFolder, stampOf, type EmbeddingFolder } from '../embedding-folder.ts'
import { EmbeddingModel } from '../embedding-model.ts'
import type { EmbeddingTasks } from './embedding-tasks.ts'

interface Opened {
  readonly key: string
  readonly model: EmbeddingModel
}

let opened: Opened | undefined

lowerThreadPriority()

serveTasks<EmbeddingTasks>({
  embed: async ({ folders, threads, as, texts }, task) => {
    const folder = await findEmbeddingFolder(folders)
    if (folder === null) return null
    const model = await open(folder, threads)
    const full = as === 'query' ? texts.map((text) => `${folder.queryPrompt}${text}`) : texts
    const vectors = await model.embed(full, () => {
      task.signal.throwIfAborted()
      task.tell('batch')
    })
    return { model: `${folder.name}@${model.weightsHash}`, dimensions: model.dimensions, vectors }
  },
})

/** Opens the model, again when its files are others than before. */
async function open({ directory }: EmbeddingFolder, threads: number): Promise<EmbeddingModel> {
  const key = await stampOf(directory)
  if (opened?.key === key) return opened.model
  const model = await EmbeddingModel.open(directory, threads)
  await opened?.model.close()
  opened = { key, model }
  return model
}
