import { expect } from 'chai'
import type { ModelConfig } from '../../../core/model/config/model-config.ts'
import type { Batch } from '../../../core/model/llama/batch.ts'
import type { TrainingEngine } from '../../../core/model/llama/engine/engine.ts'
import type { Trainable } from '../../../core/model/llama/parameters.ts'
import { createTrainingEngine, type EngineVariant } from '../../../core/model/llama/engine/training-engine.ts'
import { fillRandom, packRows, randomWeights, seededNumbers, tinyModel } from './tiny-model.ts'

const lora: Trainable = {
  mode: 'lora',
  rank: 2,
  alpha: 4,
  targetModules: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
}

const families: readonly (readonly [string, ModelConfig])[] = [
  ['Llama', tinyModel],
  ['Qwen2: biases of q, k and v', { ...tinyModel, family: 'qwen2', qkvBias: true, outputBias: true, mlpBias: true }],
  [
    'Qwen3: normalised heads of their own width, an untied output head',
    {
      ...tinyModel,
      family: 'qwen3',
      qkNorm: true,
      headDim: 6,
      tiedEmbeddings: false,
    },
  ],
]

const short = { tokens: [3, 7, 1, 12, 5], answers: 2 }
const long = { tokens: [9, 2, 2, 28, 14, 6, 11], answers: 3 }

/** Weights of both signs, as preference objectives give them. */
function signedBatch(): Batch {
  return packRows([[short, long], [long]], 14, 12, (answer) => [0.5, -0.25, 0.75][answer % 3] ?? 1)
}

async function withEngine<T>(
  config: ModelConfig,
  trainable: Trainable,
  use: (engine: TrainingEngine) => Promise<T>,
  variant: EngineVariant = 'whole',
): Promise<T> {
  const engine = createTrainingEngine({ config, weights: randomWeights(config), trainable, threads: 1, variant })
  if (trainable.mode === 'lora') fillRandom(engine.values, 7)
  try {
    return await use(engine)
  } finally {
    await engine.release()
  }
}

/** Index of the largest gradient of each tensor, where a finite difference is sharpest. */
function largestEntries(engine: TrainingEngine): readonly { readonly name: string; readonly index: number }[] {
  return engine.parameters.map(({ name, offset, size }) => {
    let index = offset
    for (let i = offset; i < offset + size; i++) {
      if (Math.abs(engine.gradients[i] ?? 0) > Math.abs(engine.gradients[index] ?? 0)) index = i
    }
    return { name, index }
  })
}

function maximumDifference(a: Float32Array, b: Float32Array): number {
  return a.reduce((worst, value, index) => Math.max(worst, Math.abs(value - (b[index] ?? NaN))), 0)
}

describe('TrainingEngine', () => {
  for (const [name, config] of families) {
    for (const trainable of [lora, { mode: 'full' }] as const) {
      it(`computes the gradient of every ${trainable.mode} tensor (${name})`, async () => {
        await withEngine(config, trainable, async (engine) => {
          const batch = signedBatch()
          const lossAt = async (): Promise<number> =>
            (await engine.forward(batch)).reduce((sum, logProb, i) => sum - logProb * (batch.weights[i] ?? 0), 0)
          const { loss } = await engine.step(batch)
          expect(loss).to.be.closeTo(await lossAt(), 1e-5)
          const gradients = engine.gradients.slice()
          for (const { name: tensor, index } of largestEntries(engine)) {
            const value = engine.values[index] ?? 0
            const step = 1e-2
            engine.values[index] = value + step
            const above = await lossAt()
            engine.values[index] = value - step
            const below = await lossAt()
            engine.values[index] = value
            const expected = (above - below) / (2 * step)
            const tolerance = 2e-2 * Math.abs(expected) + 2e-3
            expect(gradients[index] ?? NaN, tensor).to.be.closeTo(expected, tolerance)
          }
        })
      })
    }

    it(`gives the same layer by layer (${name})`, async () => {
      const batch = signedBatch()
      for (const trainable of [lora, { mode: 'full' }] as const) {
        const run = async (engine: TrainingEngine) => {
          const forward = await engine.forward(batch)
          return { forward, ...(await engine.step(batch)), gradients: engine.gradients }
        }
        const whole = await withEngine(config, trainable, run)
        const layers = await withEngine(config, trainable, run, 'layers')
        expect(layers.loss).to.be.closeTo(whole.loss, 1e-5)
        expect(maximumDifference(layers.forward, whole.forward)).to.be.below(1e-5)
        expect(maximumDifference(layers.scores, whole.scores)).to.be.below(1e-5)
        expect(maximumDifference(layers.gradients, whole.gradients)).to.be.below(1e-4)
      }
    })
  }

  it('scores rows packed into one bin like rows of their own', async () => {
    await withEngine(tinyModel, lora, async (engine) => {
      const apart = await engine.step(packRows([[short], [long]], 8, 5))
      const apartGradients = engine.gradients.slice()
      const packed = await engine.step(packRows([[short, long]], 14, 5))
      expect(maximumDifference(packed.scores, apart.scores)).to.be.below(1e-5)
      expect(maximumDifference(engine.gradients, apartGradients)).to.be.below(1e-4)
    })
  })

  it('cuts many answers into slices without changing them', async () => {
    await withEngine(tinyModel, lora, async (engine) => {
      const next = seededNumbers(3)
      const tokens = Array.from({ length: 40 }, () => Math.floor((next() + 1) * 14))
      const bins = Array.from({ length: 8 }, () => [{ tokens, answers: 39 }])
      const all = await engine.step(packRows(bins, 40, 320))
      const few = await engine.step(packRows(bins.slice(0, 1), 40, 39))
      expect(maximumDifference(all.scores.slice(273, 312), few.scores)).to.be.below(1e-5)
      expect(all.loss / few.loss).to.be.closeTo(8, 1e-4)
    })
  })

  it('scores with other trainable numbers on request, such as none for the reference model', async () => {
    await withEngine(tinyModel, lora, async (engine) => {
      const batch = signedBatch()
      const adapted = await engine.forward(batch)
      const reference = await engine.forward(batch, new Float32Array(engine.values.length))
      expect(maximumDifference(adapted, reference)).to.be.above(1e-3)
      expect(maximumDifference(await engine.forward(batch), adapted)).to.equal(0)
    })
  })

  it('repeats a step bit for bit', async () => {
    const run = (engine: TrainingEngine) => engine.step(signedBatch()).then(() => engine.gradients)
    const first = await withEngine(tinyModel, { mode: 'full' }, run)
    const second = await withEngine(tinyModel, { mode: 'full' }, run)
    expect(second).to.deep.equal(first)
  })
})
