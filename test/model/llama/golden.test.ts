import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ModelConfig, RopeScaling } from '../../../core/model/config/model-config.ts'
import { ADAPTER_FILES, readAdapter } from '../../../core/model/files/adapter-files.ts'
import { type BaseModel, openBaseModel } from '../../../core/model/files/base-model.ts'
import { readTensor, readTensorEntries } from '../../../core/model/files/safetensors/read.ts'
import type { TrainingEngine } from '../../../core/model/llama/engine/engine.ts'
import { createTrainingEngine, type EngineVariant } from '../../../core/model/llama/engine/training-engine.ts'
import { type PlainRow, packRows } from './tiny-model.ts'

const folder = join(import.meta.dirname, '../golden')

interface Expected {
  readonly sequences: readonly (readonly number[])[]
  readonly logProbs: readonly (readonly number[])[]
  readonly adapterLogProbs: readonly (readonly number[])[]
  readonly variants?: readonly { readonly name: string; readonly logProbs: readonly (readonly number[])[] }[]
  readonly training?: {
    readonly rows: readonly { readonly prompt: readonly number[]; readonly answer: readonly number[] }[]
    readonly loss: number
  }
}

async function readExpected(base: string): Promise<Expected> {
  return JSON.parse(await readFile(join(folder, base, 'expected.json'), 'utf8'))
}

async function openGolden(base: string): Promise<BaseModel> {
  return (await openBaseModel(join(folder, base))).model
}

/** Runs `use` with an engine whose values are the golden adapter's. */
async function withAdapter<T>(
  base: string,
  variant: EngineVariant,
  use: (engine: TrainingEngine) => Promise<T>,
): Promise<T> {
  const { config, weights } = await openGolden(base)
  const files = await Promise.all(
    ADAPTER_FILES.map(async (name) => [name, await readFile(join(folder, base, 'adapter', name))] as const),
  )
  const adapter = readAdapter(new Map(files), config)
  const engine = createTrainingEngine({
    config,
    weights,
    trainable: { mode: 'lora', ...adapter.config },
    threads: 1,
    variant,
  })
  for (const { name, offset } of engine.parameters) {
    const factors = adapter.tensors.get(name.replace(/\.lora_[AB]\.weight$/, ''))
    engine.values.set((name.endsWith('.lora_A.weight') ? factors?.a : factors?.b) ?? [], offset)
  }
  try {
    return await use(engine)
  } finally {
    await engine.release()
  }
}

/** All sequences packed into one bin, every token but the first ones scored. */
function scored(sequences: readonly (readonly number[])[]) {
  const rows = sequences.map((tokens): PlainRow => ({ tokens, answers: tokens.length - 1 }))
  const tokens = sequences.flat().length
  return packRows([rows], tokens + 3, tokens - rows.length)
}

function expectClose(actual: Float32Array, expected: readonly number[], tolerance: number): void {
  expect(actual.length).to.equal(expected.length)
  const worst = expected.reduce((most, value, index) => Math.max(most, Math.abs(value - (actual[index] ?? NaN))), 0)
  expect(worst).to.be.below(tolerance)
}

async function baseLogProbs(base: string, changes: Partial<ModelConfig>, batch: ReturnType<typeof scored>) {
  const { config, weights } = await openGolden(base)
  const engine = createTrainingEngine({
    config: { ...config, ...changes },
    weights,
    trainable: { mode: 'lora', rank: 1, alpha: 1, targetModules: [] },
    threads: 1,
  })
  const logProbs = await engine.forward(batch)
  await engine.release()
  return logProbs
}

describe('values computed with transformers and PEFT', () => {
  for (const base of ['llama-tied', 'llama-untied', 'qwen2', 'qwen3']) {
    it(`log-probabilities of ${base}, with and without an adapter`, async () => {
      const { sequences, logProbs, adapterLogProbs } = await readExpected(base)
      const batch = scored(sequences)
      await withAdapter(base, 'whole', async (engine) => {
        expectClose(await engine.forward(batch), adapterLogProbs.flat(), 2e-5)
        expectClose(await engine.forward(batch, new Float32Array(engine.values.length)), logProbs.flat(), 2e-5)
      })
    })
  }

  const scalings: readonly RopeScaling[] = [
    { type: 'linear', factor: 2 },
    { type: 'llama3', factor: 4, lowFreqFactor: 1, highFreqFactor: 4, originalContext: 32 },
  ]
  for (const ropeScaling of scalings) {
    it(`log-probabilities under ${ropeScaling.type} scaling of the rotary embedding`, async () => {
      const { sequences, variants = [] } = await readExpected('llama-untied')
      const variant = variants.find(({ name }) => name === ropeScaling.type)
      const logProbs = await baseLogProbs('llama-untied', { ropeScaling }, scored(sequences))
      expectClose(logProbs, variant?.logProbs.flat() ?? [], 2e-5)
    })
  }

  for (const variant of ['whole', 'layers'] as const) {
    it(`loss and gradients of an adapter (${variant})`, async () => {
      const { training } = await readExpected('llama-tied')
      if (training === undefined) throw new Error('llama-tied has a training case')
      const rows = training.rows.map(({ prompt, answer }) => ({
        tokens: [...prompt, ...answer],
        answers: answer.length,
      }))
      const answers = rows.reduce((sum, row) => sum + row.answers, 0)
      const batch = packRows([rows.slice(0, 2), rows.slice(2)], 32, answers + 5, () => 1 / answers)
      const bytes = await readFile(join(folder, 'llama-tied', 'gradients.safetensors'))
      const source = {
        sizeBytes: bytes.length,
        read: async (into: Uint8Array, offset: number) => bytes.copy(into, 0, offset, offset + into.length),
      }
      const label = { file: 'gradients.safetensors', error: MODEL_ERRORS.invalid_adapter } as const
      const entries = await readTensorEntries(source, label)
      await withAdapter('llama-tied', variant, async (engine) => {
        const { loss } = await engine.step(batch)
        expect(loss).to.be.closeTo(training.loss, 1e-5)
        expect(entries).to.have.length(engine.parameters.length)
        for (const entry of entries) {
          const parameter = engine.parameters.find(({ name }) => name === `${entry.name}.weight`)
          if (parameter === undefined) throw new Error(`No parameter ${entry.name}`)
          const { tensor } = await readTensor(source, entry, label)
          const gradient = engine.gradients.subarray(parameter.offset, parameter.offset + parameter.size)
          const norm = Math.hypot(...tensor.data)
          const error = Math.hypot(...tensor.data.map((value, index) => value - (gradient[index] ?? NaN)))
          expect(error / norm, entry.name).to.be.below(1e-4)
        }
      })
    })
  }
})
