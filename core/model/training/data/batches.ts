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
