import { tinyConfig } from '../tiny-config.ts'
import type { ModelConfig } from '../../../core/model/config/model-config.ts'
import { weightShapes } from '../../../core/model/config/weight-names.ts'
import type { TensorData } from '../../../core/model/files/tensors.ts'
import type { Batch } from '../../../core/model/llama/batch.ts'

/** Numbers from −1 to 1 from a fixed generator (mulberry32). */
export function seededNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x80000000 - 1
  }
}

/** Grouped heads wider than hidden / heads. */
export const tinyModel = tinyConfig({ vocabSize: 29, heads: 4, kvHeads: 2, contextLength: 64 })

/** Random weights of a config: matrices around 0, norms around 1. */
export function randomWeights(config: ModelConfig, seed = 1): ReadonlyMap<string, TensorData> {
  const next = seededNumbers(seed)
  return new Map(
    [...weightShapes(config)].map(([name, shape]) => {
      const size = shape.reduce((product, dim) => product * dim, 1)
      const data = new Float32Array(new SharedArrayBuffer(size * 4))
      const centre = name.includes('norm') ? 1 : 0
      for (let i = 0; i < size; i++) data[i] = centre + 0.4 * next()
      return [name, { shape, data }]
    }),
  )
}

/** Fills trainable numbers with small random ones. */
export function fillRandom(values: Float32Array, seed: number): void {
  const next = seededNumbers(seed)
  for (let i = 0; i < values.length; i++) values[i] = 0.3 * next()
}

/** Rows of tokens, each with the number of its last tokens that are scored. */
export interface PlainRow {
  readonly tokens: readonly number[]
  readonly answers: number
}

/** Packs rows into bins as they are listed, one array of rows for each bin; weights are 1 unless given. */
export function packRows(
  bins: readonly (readonly PlainRow[])[],
  length: number,
  answers: number,
  weightOf: (answer: number) => number = () => 1,
): Batch {
  const batch: Batch = {
    bucket: { bins: bins.length, length, answers },
    tokens: new BigInt64Array(bins.length * length),
    positions: new BigInt64Array(bins.length * length),
    segments: new BigInt64Array(bins.length * length).fill(-1n),
    answerPositions: new BigInt64Array(answers),
    targets: new BigInt64Array(answers),
    weights: new Float32Array(answers),
  }
  let answer = 0
  for (const [bin, rows] of bins.entries()) {
    let place = bin * length
    for (const [segment, row] of rows.entries()) {
      for (const [position, token] of row.tokens.entries()) {
        batch.tokens[place] = BigInt(token)
        batch.positions[place] = BigInt(position)
        batch.segments[place] = BigInt(segment)
        if (position >= row.tokens.length - row.answers) {
          batch.answerPositions[answer] = BigInt(place - 1)
          batch.targets[answer] = BigInt(token)
          batch.weights[answer] = weightOf(answer)
          answer++
        }
        place++
      }
    }
  }
  return batch
}
