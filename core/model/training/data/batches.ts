import type { Bucket } from '../../llama/batch.ts'
import { createRandom, shuffle } from '../../random.ts'
import { placeOf, type UnitSize } from './buckets.ts'
import { fillBatches } from './fill-batches.ts'

/** Units that are computed in one run of a graph. */
export interface PlannedBatch {
  readonly bucket: Bucket
  /** Indexes of the units. */
  readonly units: readonly number[]
}

/** The batches of one step of the optimizer: their gradients are added up. */
export type PlannedStep = readonly PlannedBatch[]

/** Inputs of a job's row order. */
export interface OrderSettings {
  readonly epochs: number
  /** Runs of a graph that make a step. */
  readonly accumulation: number
  readonly seed: number
  /** Where the last epoch is cut off; no limit when absent. */
  readonly maxSteps?: number
}

/**
 * The steps of every epoch. Each epoch visits every unit once, in an order of its own that seed and epoch decide; the
 * batches of an epoch hold about equally many tokens. The buckets are chosen from these units, or more. No epoch begins
 * behind `maxSteps`.
 */
export function planEpochs(
  sizes: readonly UnitSize[],
  buckets: readonly Bucket[],
  settings: OrderSettings,
): readonly (readonly PlannedStep[])[] {
  const { epochs, maxSteps = Infinity } = settings
  const planned: (readonly PlannedStep[])[] = []
  for (let epoch = 0, left = maxSteps; epoch < epochs && left > 0; epoch++) {
    const steps = planEpoch(epoch, sizes, buckets, settings).slice(0, left)
    planned.push(steps)
    left -= steps.length
  }
  return planned
}

function planEpoch(
  epoch: number,
  sizes: readonly UnitSize[],
  buckets: readonly Bucket[],
  { seed, accumulation }: OrderSettings,
): readonly PlannedStep[] {
  const random = createRandom(seed, `order of epoch ${epoch}`)
  const order = Array.from(sizes, (_, index) => index)
  shuffle(order, random)
  const batches = planBatches(order, sizes, buckets)
  const turns = Array.from(batches, (_, index) => index)
  shuffle(turns, random)
  return groupSteps(
    turns.flatMap((turn) => batches[turn] ?? []),
    accumulation,
  )
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
