import type { Bucket } from '../../llama/batch.ts'
import { createRandom, shuffle } from '../../random.ts'
import { placeOf, type UnitSize } from './buckets.ts'
import { packFirstFitDecreasing } from './packing.ts'

/** Units that are computed in one run of a graph. */
export interface PlannedBatch {
  readonly bucket: Bucket
  /** Indexes of the units. */
  readonly units: readonly number[]
}

/** The batches of one step of the optimizer: their gradients are added up. */
export type PlannedStep = readonly PlannedBatch[]

/** What the order of a job depends on. */
export interface OrderSettings {
  readonly epochs: number
  /** Runs of a graph that make a step. */
  readonly accumulation: number
  readonly seed: number
}

/**
 * The steps of every epoch. Each epoch visits every unit once, in an order of its own that seed and epoch decide; the
 * batches of an epoch hold about equally many tokens. The buckets are chosen from these units, or more.
 */
export function planEpochs(
  sizes: readonly UnitSize[],
  buckets: readonly Bucket[],
  settings: OrderSettings,
): readonly (readonly PlannedStep[])[] {
  return Array.from({ length: settings.epochs }, (_, epoch) => {
    const random = createRandom(settings.seed, `order of epoch ${epoch}`)
    const order = Array.from(sizes, (_size, index) => index)
    shuffle(order, random)
    const batches = planBatches(order, sizes, buckets)
    const turns = Array.from(batches, (_batch, index) => index)
    shuffle(turns, random)
    return groupSteps(
      turns.flatMap((turn) => batches[turn] ?? []),
      settings.accumulation,
    )
  })
}

/** The batches that visit every unit once, for computing log-probabilities. */
export function planOnce(sizes: readonly UnitSize[], buckets: readonly Bucket[]): readonly PlannedBatch[] {
  const order = Array.from(sizes, (_, index) => index)
  return planBatches(order, sizes, buckets)
}

function planBatches(order: readonly number[], sizes: readonly UnitSize[], buckets: readonly Bucket[]): PlannedBatch[] {
  const places = sizes.map((size) => placeOf(size, buckets))
  return buckets.flatMap((bucket, place) => {
    const members = order.filter((index) => places[index] === place)
    return fillBatches(members, sizes, bucket).map((units) => ({ bucket, units }))
  })
}

function groupSteps(batches: readonly PlannedBatch[], accumulation: number): PlannedStep[] {
  const steps: PlannedStep[] = []
  for (let start = 0; start < batches.length; start += accumulation) {
    steps.push(batches.slice(start, start + accumulation))
  }
  return steps
}

/** Cuts units into runs that fit the bucket, as few as their order allows, then evens them out. */
function fillBatches(members: readonly number[], sizes: readonly UnitSize[], bucket: Bucket): number[][] {
  const least = cutWherever(members, sizes, bucket, Infinity).length
  const tokens = members.reduce((sum, index) => sum + (sizes[index]?.tokens ?? 0), 0)
  return cutWherever(members, sizes, bucket, tokens / least)
}

/** Each batch takes units until the next one does not fit, or its share of all tokens so far is reached. */
function cutWherever(
  members: readonly number[],
  sizes: readonly UnitSize[],
  bucket: Bucket,
  tokensPerBatch: number,
): number[][] {
  const batches: number[][] = []
  let start = 0
  let done = 0
  while (start < members.length) {
    const target = tokensPerBatch * (batches.length + 1)
    let end = start
    let tokens = done
    let answers = 0
    while (end < members.length && (end === start || tokens < target - 0.5)) {
      const size = sizes[members[end] ?? 0]
      const room = bucket.bins * bucket.length - (tokens - done)
      if (size === undefined || answers + size.answers > bucket.answers || size.tokens > room) break
      answers += size.answers
      tokens += size.tokens
      end++
    }
    end = longestPackable(members, sizes, bucket, start, end)
    const batch = members.slice(start, end)
    for (const index of batch) done += sizes[index]?.tokens ?? 0
    batches.push(batch)
    start = end
  }
  return batches
}

/** The last end, of those from `start` + 1 to `end`, whose sequences fit the bins; bisected, for each try packs anew. */
function longestPackable(
  members: readonly number[],
  sizes: readonly UnitSize[],
  bucket: Bucket,
  start: number,
  end: number,
): number {
  const fits = (last: number): boolean => {
    const lengths = members.slice(start, last).flatMap((index) => sizes[index]?.lengths ?? [])
    return packFirstFitDecreasing(lengths, bucket.length).bins <= bucket.bins
  }
  if (fits(end)) return end
  let good = start + 1
  let bad = end
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (fits(middle)) good = middle
    else bad = middle
  }
  return good
}
