import type { Bucket } from '../../llama/batch.ts'
import { computedLength, type Unit } from '../rows.ts'
import { packFirstFitDecreasing } from './packing.ts'

/** Size of a unit: the lengths of its sequences and its answer tokens. */
export interface UnitSize {
  readonly lengths: readonly number[]
  readonly longest: number
  readonly tokens: number
  readonly answers: number
}

/** Bin lengths are of this kind only, so that a job needs few graphs. */
const LENGTHS = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 16_384, 32_768]
/** Rows that the length of ordinary bins is chosen from, and the share of them that has to fit. */
const SAMPLED_UNITS = 1000
const ORDINARY_SHARE = 0.95
/** Usual share of a batch's bins that packing fills. */
const FILLED_SHARE = 0.95
/** Answer tokens of a bucket relative to the average of a batch. */
const ANSWER_HEADROOM = 1.15
const ANSWER_STEP = 16
/** Attention costs a token as much as its linear layers when a bin is this many times the hidden size long (measured). */
const HIDDEN_SIZES_OF_EQUAL_COST = 4

/** The size of a unit. */
export function sizeOf({ sequences }: Unit): UnitSize {
  const lengths = sequences.map(computedLength)
  return {
    lengths,
    longest: Math.max(...lengths),
    tokens: lengths.reduce((sum, length) => sum + length, 0),
    answers: sequences.reduce((sum, { answer }) => sum + answer.length, 0),
  }
}

/**
 * Chooses the buckets of a job, shortest bins first. Most units share the bins that are cheapest for them; units that
 * are too long for those get separate bins. `hiddenSize` determines the cost of attention relative to the linear
 * layers.
 */
export function chooseBuckets(
  sizes: readonly UnitSize[],
  options: { readonly batchTokens: number; readonly hiddenSize: number },
): readonly Bucket[] {
  if (sizes.length === 0) return []
  const ordinary = chooseLength(sizes, options.hiddenSize)
  const lengths = LENGTHS.filter((length) => length >= ordinary)
  const classes = new Map<number, UnitSize[]>()
  for (const size of sizes) {
    const length = lengths.find((each) => each >= size.longest) ?? size.longest
    const members = classes.get(length) ?? []
    members.push(size)
    classes.set(length, members)
  }
  return [...classes]
    .toSorted(([a], [b]) => a - b)
    .map(([length, members]) => bucketFor(length, members, options.batchTokens))
}

/** The place of the bucket that a unit belongs to. Throws a `RangeError` when it fits none. */
export function placeOf({ longest, answers: needed }: UnitSize, buckets: readonly Bucket[]): number {
  const place = buckets.findIndex(({ length, answers }) => length >= longest && answers >= needed)
  if (place === -1) throw new RangeError(`a sequence of ${longest} tokens fits no bucket`)
  return place
}

/**
 * Adds a bucket for sequences of up to `longest` tokens, answers of any length among them, where the buckets have none:
 * answers that a student writes may be longer than those of its rows.
 */
export function withRoomFor(
  buckets: readonly Bucket[],
  longest: number,
  { batchTokens }: { readonly batchTokens: number },
): readonly Bucket[] {
  if (buckets.some(({ length, answers }) => length >= longest && answers >= longest)) return buckets
  const length = LENGTHS.find((each) => each >= longest) ?? longest
  const bins = Math.max(1, Math.floor(batchTokens / length))
  return [...buckets, { bins, length, answers: bins * length }]
}

/** The bin length that costs least for the ordinary units: short bins waste no attention, long ones pack better. */
function chooseLength(sizes: readonly UnitSize[], hiddenSize: number): number {
  const stride = Math.ceil(sizes.length / SAMPLED_UNITS)
  const sample = sizes.filter((_, index) => index % stride === 0)
  const longest = sample.map((size) => size.longest).toSorted((a, b) => a - b)
  const ordinary = longest[Math.floor((longest.length - 1) * ORDINARY_SHARE)] ?? 1
  const lengths = sample.filter((size) => size.longest <= ordinary).flatMap((size) => size.lengths)
  const tokens = lengths.reduce((sum, length) => sum + length, 0)
  const smallest = LENGTHS.find((length) => length >= ordinary)
  if (smallest === undefined) return ordinary
  let best = { length: smallest, cost: Infinity }
  for (const length of LENGTHS.filter((each) => each >= smallest && each <= 4 * smallest)) {
    const computed = packFirstFitDecreasing(lengths, length).bins * length
    const cost = (computed / tokens) * (1 + length / (HIDDEN_SIZES_OF_EQUAL_COST * hiddenSize))
    if (cost < best.cost) best = { length, cost }
  }
  return best.length
}

function bucketFor(length: number, members: readonly UnitSize[], batchTokens: number): Bucket {
  const total = { tokens: 0, answers: 0 }
  const most = { sequences: 0, answers: 0 }
  for (const { lengths, tokens, answers } of members) {
    total.tokens += tokens
    total.answers += answers
    most.sequences = Math.max(most.sequences, lengths.length)
    most.answers = Math.max(most.answers, answers)
  }
  const affordable = Math.max(most.sequences, Math.floor(batchTokens / length))
  const batches = Math.ceil(total.tokens / (FILLED_SHARE * affordable * length))
  const even = Math.max(most.sequences, Math.ceil(total.tokens / (FILLED_SHARE * batches * length)))
  // Packing all of them is worth while only where it can show that a smaller bucket does.
  const needed = total.tokens <= affordable * length ? packAll(members, length) : Infinity
  const bins = Math.min(needed, even, affordable)
  const share = bins === needed ? 1 : Math.min(1, (ANSWER_HEADROOM * bins * length) / total.tokens)
  const wanted = Math.max(total.answers * share, most.answers)
  return { bins, length, answers: Math.min(bins * length, Math.ceil(wanted / ANSWER_STEP) * ANSWER_STEP) }
}

function packAll(members: readonly UnitSize[], length: number): number {
  return packFirstFitDecreasing(
    members.flatMap((size) => size.lengths),
    length,
  ).bins
}
