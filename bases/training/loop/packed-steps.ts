import type { Batch } from '../../../core/model/llama/batch.ts'
import type { Tokenizer } from '../../../core/model/tokenizer/tokenizer.ts'
import { drawDocument } from '../documents.ts'
import { encodeDocument, type Sequence } from '../encode.ts'
import { createRandom, mixSeed } from '../random.ts'

/** Bins and tokens of each bin of one step. */
export interface StepShape {
  readonly bins: number
  readonly length: number
}

/** A step ends when this many documents in a row found no room. */
const MOST_MISFITS = 8
const NO_ROW = -1n

/**
 * Packs the documents of a step, first fit into bins. They depend only on seed and step, so a stopped run can be
 * resumed.
 */
function fillBins(
  tokenizer: Tokenizer,
  seed: number,
  step: number,
  { bins, length }: StepShape,
): readonly Sequence[][] {
  const random = createRandom(mixSeed(seed, step))
  const filled = Array.from({ length: bins }, () => ({ rows: [] as Sequence[], free: length }))
  for (let misfits = 0; misfits < MOST_MISFITS;) {
    const sequence = encodeDocument(tokenizer, drawDocument(random))
    const bin = filled.find(({ free }) => free >= sequence.ids.length)
    if (bin === undefined) misfits++
    else {
      misfits = 0
      bin.rows.push(sequence)
      bin.free -= sequence.ids.length
    }
  }
  return filled.map(({ rows }) => rows)
}

/** The packed batch of a training step; the weights of its targets add up to 1. */
export function packStep(
  tokenizer: Tokenizer,
  seed: number,
  step: number,
  shape: StepShape,
): { readonly batch: Batch; readonly tokens: number } {
  const size = shape.bins * shape.length
  const batch = {
    bucket: { ...shape, answers: size },
    tokens: new BigInt64Array(size),
    positions: new BigInt64Array(size),
    segments: new BigInt64Array(size).fill(NO_ROW),
    answerPositions: new BigInt64Array(size),
    targets: new BigInt64Array(size),
    weights: new Float32Array(size),
  }
  let scored = 0
  let tokens = 0
  let total = 0
  fillBins(tokenizer, seed, step, shape).forEach((rows, bin) => {
    let at = bin * shape.length
    rows.forEach(({ ids, weights }, row) => {
      ids.forEach((id, place) => {
        batch.tokens[at] = BigInt(id)
        batch.positions[at] = BigInt(place)
        batch.segments[at] = BigInt(row)
        const weight = weights[place] ?? 0
        if (place > 0 && weight > 0) {
          batch.answerPositions[scored] = BigInt(at - 1)
          batch.targets[scored] = BigInt(id)
          batch.weights[scored] = weight
          scored++
          total += weight
        }
        at++
        tokens++
      })
    })
  })
  for (let i = 0; i < scored; i++) batch.weights[i] = (batch.weights[i] ?? 0) / total
  return { batch, tokens }
}
