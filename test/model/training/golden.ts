import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { readAdapter } from '../../../core/model/files/adapter-files.ts'
import { openBaseModel } from '../../../core/model/files/base-model.ts'
import type { TrainingEngine } from '../../../core/model/llama/engine/engine.ts'
import { createTrainingEngine } from '../../../core/model/llama/engine/training-engine.ts'
import type { Scoring } from '../../../core/model/llama/scoring.ts'
import { planOnce } from '../../../core/model/training/data/batches.ts'
import { chooseBuckets, sizeOf } from '../../../core/model/training/data/buckets.ts'
import { unitsFor } from '../../../core/model/training/data/units.ts'
import { gradientStep } from '../../../core/model/training/loop/gradient-step.ts'
import { scoreReference } from '../../../core/model/training/loop/score.ts'
import type { ObjectiveSettings } from '../../../core/model/training/objectives/objective.ts'
import type { FitRow } from '../../../core/model/training/rows.ts'
import type { TensorData } from '../../../core/model/files/tensors.ts'

/** The golden base whose adapter is trained. */
export const FOLDER = new URL('../golden/llama-tied/', import.meta.url)

/** The tensors of a small float32 safetensors file, without any checks. */
export function tensorsOf(file: string): ReadonlyMap<string, Float32Array> {
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
export async function goldenEngine(
  divergence: { readonly scoring?: Scoring; readonly teacherHead?: TensorData } = {},
): Promise<{ engine: TrainingEngine; hiddenSize: number; contextLength: number }> {
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
    ...divergence,
  })
  for (const { name, offset } of engine.parameters) {
    const factors = tensors.get(name.replace(/\.lora_[AB]\.weight$/, ''))
    engine.values.set((name.endsWith('lora_A.weight') ? factors?.a : factors?.b) ?? [], offset)
  }
  return { engine, hiddenSize: model.config.hiddenSize, contextLength: model.config.contextLength }
}

/** Loss and gradients of all rows as one step. */
export async function stepOf(
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
export function worstError(
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
