import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { writeAdapter } from '../../../core/model/files/adapter-files.ts'
import { openBaseModel } from '../../../core/model/files/base-model.ts'
import { runFit } from '../../../core/model/training/fit/run-fit.ts'
import { defaultHyperparameters } from '../../../core/model/training/hyperparameters.ts'
import { createRandom } from '../../../core/model/random.ts'
import type { TrainingRow } from '../../../core/model/training/rows.ts'
import type { LineProcess } from './line-process.ts'

/** A folder with an adapter, and who fitted it. */
export interface FittedFolder {
  readonly name: 'embedded' | 'peft'
  readonly adapter: string
}

/** Fits an adapter on the same few rows by each trainer, into sub-folders of `folder`; `trainer` is python/fit.py. */
export async function fitBothWays(trainer: LineProcess, baseFolder: string, folder: string): Promise<FittedFolder[]> {
  const { model: base } = await openBaseModel(baseFolder)
  const { contextLength, hiddenSize, vocabSize } = base.config
  const rows = someRows(vocabSize)
  const hyperparameters = defaultHyperparameters(
    { rows: rows.length, tokens: 400, contextLength, hiddenSize },
    'supervised',
    { epochs: 5, learningRate: 0.01, batchTokens: 128, patience: 0 },
  )
  const job = { base, rows, validation: [], hyperparameters, threads: 1, memoryBudgetBytes: Number.MAX_SAFE_INTEGER }
  const fitted = await runFit(job, {})
  const embedded = join(folder, 'embedded')
  await mkdir(embedded, { recursive: true })
  for (const [name, bytes] of writeAdapter(fitted.adapter, { baseName: base.name })) {
    await writeFile(join(embedded, name), bytes)
  }
  const document = {
    format: 'svc-fit/1',
    base: { name: basename(baseFolder), weightsHash: base.weightsHash },
    hyperparameters,
    rows,
    validation: [],
  }
  const path = join(folder, 'document.json')
  await writeFile(path, JSON.stringify(document))
  const peft = join(folder, 'peft')
  await trainer.ask(JSON.stringify({ document: path, bases: dirname(baseFolder), out: peft }))
  return [
    { name: 'embedded', adapter: embedded },
    { name: 'peft', adapter: peft },
  ]
}

/** Rows whose answer repeats the prompt's end. */
function someRows(vocabulary: number): TrainingRow[] {
  const random = createRandom(1, 'rows')
  return Array.from({ length: 16 }, (_, index) => {
    const prompt = Array.from({ length: 4 + random.below(20) }, () => 4 + random.below(vocabulary - 4))
    return { id: `r${index}`, prompt, answer: [...prompt.slice(-2), 1], weight: 1 }
  })
}
