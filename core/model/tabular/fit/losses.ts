import { exp, log, sigmoid, softmax } from '../exact-math.ts'

/** Conversions of scores into predictions: probabilities of one of the labels, of each label by itself, or the number itself. */
export type Link = 'softmax' | 'sigmoid' | 'identity'

/** The right answers of rows. */
export interface Truth {
  readonly link: Link
  /** Scores of a row. */
  readonly scores: number
  /** For `softmax` the number of the label of each row; otherwise 0 to 1, or a number, for each score of each row. */
  readonly values: Float64Array
}

/** Number of rows that a truth holds. */
export function countRows({ link, scores, values }: Truth): number {
  return link === 'softmax' ? values.length : values.length / scores
}

/** The right answers of the given rows. */
export function pickTruth(truth: Truth, rows: Uint32Array): Truth {
  const width = truth.link === 'softmax' ? 1 : truth.scores
  const values = new Float64Array(rows.length * width)
  for (const [i, row] of rows.entries()) values.set(truth.values.subarray(row * width, (row + 1) * width), i * width)
  return { ...truth, values }
}

const LEAST_PROBABILITY = 1e-12

/** ln(1 + e^x), without overflow. */
function softplus(x: number): number {
  return x > 0 ? x + log(1 + exp(-x)) : log(1 + exp(x))
}

/**
 * Replaces the scores of one row by the slopes of its loss (prediction less truth) and returns the loss: log loss, or
 * half of the squared error.
 * @param at place of the row's first score
 */
export function toSlopes(truth: Truth, row: number, scores: Float64Array, at: number): number {
  const { link, scores: count, values } = truth
  if (link === 'softmax') {
    const label = values[row] ?? 0
    softmax(scores, at, count)
    const right = scores[at + label] ?? 0
    scores[at + label] = right - 1
    return -log(Math.max(LEAST_PROBABILITY, right))
  }
  let loss = 0
  for (let k = 0; k < count; k++) {
    const score = scores[at + k] ?? 0
    const value = values[row * count + k] ?? 0
    if (link === 'identity') {
      const slope = score - value
      scores[at + k] = slope
      loss += 0.5 * slope * slope
    } else {
      loss += softplus(score) - value * score
      scores[at + k] = sigmoid(score) - value
    }
  }
  return loss
}

/** The mean loss of rows under scores, which stay as they are. */
export function meanLoss(truth: Truth, scores: Float64Array, factor = 1): number {
  const rows = countRows(truth)
  const own = new Float64Array(truth.scores)
  let sum = 0
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < own.length; k++) own[k] = (scores[row * own.length + k] ?? 0) * factor
    sum += toSlopes(truth, row, own, 0)
  }
  return sum / Math.max(1, rows)
}

/** Scores without any feature: the logarithms of smoothed shares of the labels, or the mean. */
export function baseScores(truth: Truth): Float64Array {
  const rows = countRows(truth)
  const { link, scores, values } = truth
  const sums = new Float64Array(scores)
  for (let i = 0; i < values.length; i++) {
    const k = link === 'softmax' ? (values[i] ?? 0) : i % scores
    sums[k] = (sums[k] ?? 0) + (link === 'softmax' ? 1 : (values[i] ?? 0))
  }
  return sums.map((sum) => {
    if (link === 'identity') return sum / rows
    const share = (sum + 0.5) / (rows + 1)
    return link === 'softmax' ? log(share) : log(share / (1 - share))
  })
}
