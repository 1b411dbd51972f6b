import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { z } from 'zod'
import { readAdapter } from '../../../core/model/files/adapter-files.ts'
import { openBaseModel } from '../../../core/model/files/base-model.ts'
import type { TrainingEngine } from '../../../core/model/llama/engine/engine.ts'
import { createTrainingEngine } from '../../../core/model/llama/engine/training-engine.ts'
import { planOnce } from '../../../core/model/training/data/batches.ts'
import { chooseBuckets, sizeOf } from '../../../core/model/training/data/buckets.ts'
import { unitsFor } from '../../../core/model/training/data/units.ts'
import { gradientStep } from '../../../core/model/training/loop/gradient-step.ts'
import { scoreReference } from '../../../core/model/training/loop/score.ts'
import { defaultObjective, type ObjectiveSettings } from '../../../core/model/training/objectives/objective.ts'
import { clippingScale, createMoments, globalNorm, stepAdamW } from '../../../core/model/training/optimizer/adamw.ts'
import type { FitRow } from '../../../core/model/training/rows.ts'

const FOLDER = new URL('../golden/llama-tied/', import.meta.url)
const ids = z.array(z.int())
const preference = { losses: z.array(z.number()), loss: z.number(), gradients: z.string() }
const PairRows = z.array(z.object({ prompt: ids, chosen: ids, rejected: ids }))
const Expected = z.object({
  training: z.object({
    rows: z.array(z.object({ prompt: ids, answer: ids })),
    loss: z.number(),
    gradients: z.string(),
    adamw: z.object({
      learningRate: z.number(),
      beta1: z.number(),
      beta2: z.number(),
      epsilon: z.number(),
      weightDecay: z.number(),
      gradClip: z.number(),
      losses: z.array(z.number()),
      gradNorms: z.array(z.number()),
      after: z.string(),
    }),
    preference: z.array(
      z.discriminatedUnion('objective', [
        z.object({ objective: z.literal('dpo'), beta: z.number(), rows: PairRows, ...preference }),
        z.object({ objective: z.literal('simpo'), beta: z.number(), gamma: z.number(), rows: PairRows, ...preference }),
        z.object({ objective: z.literal('orpo'), lambda: z.number(), rows: PairRows, ...preference }),
        z.object({
          objective: z.literal('kto'),
          beta: z.number(),
          rows: z.array(z.object({ prompt: ids, completion: ids, label: z.boolean() })),
          ...preference,
        }),
      ]),
    ),
  }),
})
const { training } = Expected.parse(JSON.parse(readFileSync(new URL('expected.json', FOLDER), 'utf8')))
type Preference = (typeof training.preference)[number]

/** The tensors of a small float32 safetensors file, without any checks. */
function tensorsOf(file: string): ReadonlyMap<string, Float32Array> {
  const bytes = readFileSync(new URL(file, FOLDER))
  const headerEnd = 8 + Number(bytes.readBigUInt64LE(0))
  const header = z
    .record(z.string(), z.object({ data_offsets: z.tuple([z.int(), z.int()]) }))
    .parse(
      Object.fromEntries(
        Object.entries(JSON.parse(bytes.toString('utf8', 8, headerEnd))).filter(([name]) => name !== '__metadata__'),
      ),
    )
  return new Map(
    Object.entries(header).map(
      ([
        name,
        {
          data_offsets: [start, end],
        },
      ]) => {
        const copy = Uint8Array.from(bytes.subarray(headerEnd + start, headerEnd + end))
        return [name, new Float32Array(copy.buffer)]
      },
    ),
  )
}

/** The golden adapter on the golden base, ready to train. */
async function goldenEngine(): Promise<{ engine: TrainingEngine; hiddenSize: number; contextLength: number }> {
  const { model } = await openBaseModel(fileURLToPath(FOLDER))
  const files = new Map(
    ['adapter_config.json', 'adapter_model.safetensors'].map((name) => [
      name,
      readFileSync(new URL(`adapter/${name}`, FOLDER)),
    ]),
  )
  const { config, tensors } = readAdapter(files, model.config)
  const engine = createTrainingEngine({
    config: model.config,
    weights: model.weights,
    trainable: { mode: 'lora', ...config },
    threads: 1,
  })
  for (const { name, offset } of engine.parameters) {
    const factors = tensors.get(name.replace(/\.lora_[AB]\.weight$/, ''))
    engine.values.set((name.endsWith('lora_A.weight') ? factors?.a : factors?.b) ?? [], offset)
  }
  return { engine, hiddenSize: model.config.hiddenSize, contextLength: model.config.contextLength }
}

/** Loss and gradients of all rows as one step. */
async function stepOf(
  given: Awaited<ReturnType<typeof goldenEngine>>,
  rows: readonly FitRow[],
  objective: ObjectiveSettings,
) {
  const { engine, hiddenSize, contextLength } = given
  const units = unitsFor(rows, objective.kind, contextLength)
  const sizes = units.map(sizeOf)
  const buckets = chooseBuckets(sizes, { batchTokens: 64, hiddenSize })
  const reference = await scoreReference(engine, units, objective, { buckets, onPause: async () => {} })
  const sum = new Float32Array(engine.values.length)
  return await gradientStep(engine, planOnce(sizes, buckets), units, objective, reference, sum)
}

/** The largest distance of a parameter from torch's, over the largest of torch's numbers in that parameter. */
function worstError(
  engine: TrainingEngine,
  numbers: Float32Array,
  expected: ReadonlyMap<string, Float32Array>,
): number {
  let worst = 0
  for (const { name, offset, size } of engine.parameters) {
    const theirs = expected.get(name.replace('.weight', ''))
    if (theirs?.length !== size) throw new Error(`${name} is not among torch's`)
    const scale = theirs.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6)
    theirs.forEach((value, i) => {
      worst = Math.max(worst, Math.abs((numbers[offset + i] ?? 0) - value) / scale)
    })
  }
  return worst
}

function objectiveOf(golden: Preference): ObjectiveSettings {
  switch (golden.objective) {
    case 'dpo':
      return { kind: 'dpo', beta: golden.beta }
    case 'simpo':
      return { kind: 'simpo', beta: golden.beta, gammaBetaRatio: golden.gamma / golden.beta }
    case 'orpo':
      return { kind: 'orpo', lambda: golden.lambda }
    case 'kto':
      return { kind: 'kto', beta: golden.beta, desirableWeight: 1, undesirableWeight: 1 }
  }
}

function rowsOf(golden: Preference): FitRow[] {
  if (golden.objective !== 'kto') return golden.rows.map((row, i) => ({ id: `${i}`, weight: 1, ...row }))
  return golden.rows.map(({ prompt, completion, label }, i) => ({
    id: `${i}`,
    weight: 1,
    prompt,
    answer: completion,
    isDesirable: label,
  }))
}

describe('training beside torch', () => {
  const rows = training.rows.map((row, i) => ({ id: `${i}`, weight: 1, ...row }))
  let given: Awaited<ReturnType<typeof goldenEngine>>

  beforeEach(async () => {
    given = await goldenEngine()
  })
  afterEach(async () => {
    await given.engine.release()
  })

  it('has the loss and the gradients of PEFT', async () => {
    const { loss, gradients } = await stepOf(given, rows, defaultObjective('supervised'))
    expect(loss).to.be.closeTo(training.loss, 1e-5)
    expect(worstError(given.engine, gradients, tensorsOf(training.gradients))).to.be.below(1e-4)
  })

  it('takes the steps of torch.optim.AdamW with clipping', async () => {
    const { adamw } = training
    const { engine } = given
    const moments = createMoments(engine.values.length)
    const ranges = [{ offset: 0, size: engine.values.length, isDecayed: true }]
    for (const [index, expectedLoss] of adamw.losses.entries()) {
      const { loss, gradients } = await stepOf(given, rows, defaultObjective('supervised'))
      const norm = globalNorm(gradients)
      expect(loss).to.be.closeTo(expectedLoss, 1e-3)
      expect(norm).to.be.closeTo(adamw.gradNorms[index] ?? 0, 1e-2)
      stepAdamW(engine.values, gradients, moments, ranges, adamw, {
        step: index + 1,
        learningRate: adamw.learningRate,
        gradientScale: clippingScale(norm, adamw.gradClip),
      })
    }
    expect(worstError(engine, engine.values, tensorsOf(adamw.after))).to.be.below(2e-2)
  })

  for (const golden of training.preference) {
    it(`has the loss and the gradients of ${golden.objective}`, async () => {
      const { loss, gradients } = await stepOf(given, rowsOf(golden), objectiveOf(golden))
      expect(loss).to.be.closeTo(golden.loss, 1e-4)
      expect(worstError(given.engine, gradients, tensorsOf(golden.gradients))).to.be.below(1e-3)
    })
  }
})
