import { exp, log } from '../exact-math.ts'
import { countRows, meanLoss, type Truth } from './losses.ts'

const STEPS = 10
const SHARPEST = 0.05
const FLATTEST = 20
const SEARCH_STEPS = 30
/** A blend must beat the better learner alone by this share of its loss. */
const LEAST_GAIN = 0.005

/** Blend of the scores of both learners. */
export interface Blend {
  /** Share of the linear learner, 0 to 1; the trees have the rest. */
  readonly linear: number
  /** Scores are divided by it, so that probabilities mean frequencies; 1 for numbers. */
  readonly temperature: number
  readonly loss: number
}

/** Scores of both learners, the linear ones weighed with the share. */
export function blendScores(linear: Float64Array | null, trees: Float64Array | null, share: number): Float64Array {
  if (trees === null) return linear ?? new Float64Array()
  if (linear === null) return trees
  return linear.map((score, i) => share * score + (1 - share) * (trees[i] ?? 0))
}

/** Chooses share and temperature by the loss on held-back scores. */
export function chooseBlend(truth: Truth, linear: Float64Array | null, trees: Float64Array | null): Blend {
  const judge = (step: number): Blend => {
    const share = step / STEPS
    return { linear: share, ...fitTemperature(truth, blendScores(linear, trees, share)) }
  }
  if (trees === null) return judge(STEPS)
  if (linear === null) return judge(0)
  const [alone, other] = [judge(STEPS), judge(0)]
  const single = alone.loss <= other.loss ? alone : other
  let best = single
  for (let step = 1; step < STEPS; step++) {
    const blend = judge(step)
    if (blend.loss < best.loss) best = blend
  }
  return best.loss < single.loss * (1 - LEAST_GAIN) ? best : single
}

/** The temperature with the least log loss, by golden section search over its logarithm (Guo et al., ICML 2017). */
function fitTemperature(truth: Truth, scores: Float64Array): { readonly temperature: number; readonly loss: number } {
  if (truth.link === 'identity') return { temperature: 1, loss: meanLoss(truth, scores) }
  const lossAt = (temperature: number): number => softenedLoss(truth, scores, 1 / temperature)
  const ratio = (Math.sqrt(5) - 1) / 2
  let low = log(SHARPEST)
  let high = log(FLATTEST)
  let left = high - ratio * (high - low)
  let right = low + ratio * (high - low)
  let [atLeft, atRight] = [lossAt(exp(left)), lossAt(exp(right))]
  for (let i = 0; i < SEARCH_STEPS; i++) {
    if (atLeft <= atRight) {
      ;[high, right, atRight] = [right, left, atLeft]
      left = high - ratio * (high - low)
      atLeft = lossAt(exp(left))
    } else {
      ;[low, left, atLeft] = [left, right, atRight]
      right = low + ratio * (high - low)
      atRight = lossAt(exp(right))
    }
  }
  const temperature = Number(exp((low + high) / 2).toPrecision(4))
  return { temperature, loss: lossAt(temperature) }
}

/**
 * The mean log loss with one doubtful row added, which costs as much as its scores are far from 0: a model that is
 * right on a few rows is not certain (in the manner of Platt 1999).
 */
function softenedLoss(truth: Truth, scores: Float64Array, factor: number): number {
  let size = 0
  for (const score of scores) size += Math.abs(score)
  const doubt = (size / Math.max(1, scores.length)) * factor
  return meanLoss(truth, scores, factor) + doubt / (countRows(truth) + 2)
}
