import type { Batch } from '../../llama/batch.ts'
import { computedLength, type Unit } from '../rows.ts'
import { teacherFeed } from './teacher-feed.ts'
import type { PlannedBatch } from './batches.ts'
import { packFirstFitDecreasing } from './packing.ts'

/** The answer tokens of one sequence among those of its batch. */
export interface AnswerSpan {
  readonly start: number
  readonly count: number
}

/** A batch before it is known how much each answer token counts. Sequences lie side by side in bins and do not see one another. */
export interface PackedBatch extends Omit<Batch, 'weights'> {
  /** For each sequence, unit by unit, its answer tokens; those behind the last one are padding. */
  readonly spans: readonly AnswerSpan[]
  /** Tokens that are not padding. */
  readonly usefulTokens: number
}

/** Lays the sequences of a planned batch into its bucket. */
export function packBatch(plan: PlannedBatch, units: readonly Unit[]): PackedBatch {
  const { bucket } = plan
  const sequences = plan.units.flatMap((index) => units[index]?.sequences ?? [])
  const packing = packFirstFitDecreasing(sequences.map(computedLength), bucket.length)
  const size = bucket.bins * bucket.length
  const tokens = new BigInt64Array(size)
  const positions = new BigInt64Array(size)
  const segments = new BigInt64Array(size).fill(-1n)
  const answerPositions = new BigInt64Array(bucket.answers)
  const targets = new BigInt64Array(bucket.answers)
  const sequencesInBin = new Int32Array(bucket.bins)
  const spans: AnswerSpan[] = []
  let usefulTokens = 0
  let answer = 0
  for (const [index, sequence] of sequences.entries()) {
    const bin = packing.binOf[index] ?? 0
    const first = bin * bucket.length + (packing.startOf[index] ?? 0)
    const segment = sequencesInBin[bin] ?? 0
    sequencesInBin[bin] = segment + 1
    const length = computedLength(sequence)
    const promptLength = sequence.prompt.length
    for (let i = 0; i < length; i++) {
      tokens[first + i] = BigInt((i < promptLength ? sequence.prompt[i] : sequence.answer[i - promptLength]) ?? 0)
      positions[first + i] = BigInt(i)
      segments[first + i] = BigInt(segment)
    }
    spans.push({ start: answer, count: sequence.answer.length })
    for (let i = 0; i < sequence.answer.length; i++, answer++) {
      answerPositions[answer] = BigInt(first + promptLength - 1 + i)
      targets[answer] = BigInt(sequence.answer[i] ?? 0)
    }
    usefulTokens += length
  }
  const teacher = teacherFeed(sequences, bucket.answers)
  const batch = { bucket, tokens, positions, segments, answerPositions, targets, spans, usefulTokens }
  return teacher === undefined ? batch : { ...batch, teacher }
}
