import type { Bucket } from '../../llama/batch.ts'
import type { UnitSize } from './buckets.ts'
import { packFirstFitDecreasing } from './packing.ts'

/** A batch is full when this many units in a row found no room in it. */
const MOST_MISFITS = 24

/**
 * Cuts units into batches of a bucket, as few as packing by their order finds, then evens them out. A unit that has no
 * room in a batch waits for the next, so the order of the units decides but for such turns.
 */
export function fillBatches(members: readonly number[], sizes: readonly UnitSize[], bucket: Bucket): number[][] {
  const fewest = cutWherever(members, sizes, bucket, Infinity)
  const tokens = members.reduce((sum, index) => sum + (sizes[index]?.tokens ?? 0), 0)
  const even = cutWherever(members, sizes, bucket, tokens / fewest.length)
  return even.length > fewest.length ? fewest : even
}

/** Batches that each take units until they are full, or the share of all tokens so far is reached. */
function cutWherever(
  members: readonly number[],
  sizes: readonly UnitSize[],
  bucket: Bucket,
  tokensPerBatch: number,
): number[][] {
  const batches: number[][] = []
  let waiting = members
  let done = 0
  while (waiting.length > 0) {
    const target = tokensPerBatch * (batches.length + 1) - done
    const { taken, left, tokens } = takeBatch(waiting, sizes, bucket, target)
    batches.push(taken)
    done += tokens
    waiting = left
  }
  return batches
}

/** Takes the first unit and every following one that still fits, up to `target` tokens. */
function takeBatch(waiting: readonly number[], sizes: readonly UnitSize[], bucket: Bucket, target: number) {
  const room = bucket.bins * bucket.length
  const taken: number[] = []
  const passed: number[] = []
  let lengths: readonly number[] = []
  let [tokens, answers, misfits, next] = [0, 0, 0, 0]
  for (; next < waiting.length && misfits < MOST_MISFITS; next++) {
    if (taken.length > 0 && tokens >= target - 0.5) break
    const index = waiting[next] ?? 0
    const size = sizes[index]
    if (size === undefined) continue
    const more = [...lengths, ...size.lengths]
    const isRoom = tokens + size.tokens <= room && answers + size.answers <= bucket.answers
    // The first one fits by the choice of the bucket.
    if (taken.length === 0 || (isRoom && packFirstFitDecreasing(more, bucket.length).bins <= bucket.bins)) {
      taken.push(index)
      lengths = more
      tokens += size.tokens
      answers += size.answers
      misfits = 0
    } else {
      passed.push(index)
      misfits++
    }
  }
  return { taken, left: [...passed, ...waiting.slice(next)], tokens }
}
