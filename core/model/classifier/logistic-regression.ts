import type { SparseRows } from './sparse-rows.ts'

/** The value of the constant feature whose weight is the bias of a label. */
export const BIAS_INPUT = 0.25

const LEARNING_RATE = 0.3
/** Keeps the first steps short, so that the first rows of the shuffle do not weigh more than the others. */
const INITIAL_SQUARES = 0.01

/** Settings of a fit; the same settings and rows give the same weights. */
export interface FitSettings {
  /** Passes over a small number of rows. */
  readonly epochs: number
  /** Rows to visit before fewer passes do, and the passes that remain when the rows are many. */
  readonly enoughSteps: number
  readonly leastEpochs: number
  /** Inverse strength of the L2 penalty, relative to one row. */
  readonly inverseStrength: number
  /** Budget in multiply-adds; fewer rows are visited when all passes would exceed it. */
  readonly workLimit: number
  readonly seed: number
}

/** Multiply-adds of one visit of a row for each of its features and each label: scoring it and learning from it. */
const WORK_PER_WEIGHT = 2
/** Fixed cost of fetching a feature's weights, in units of labels. */
const LABELS_PER_FETCH = 6

/** Returns the work of one row's visits, in multiply-adds. */
export function workPerRow(features: number, labels: number): number {
  return Math.max(1, features * (labels + LABELS_PER_FETCH) * WORK_PER_WEIGHT)
}

/** Returns the number of rows that a fit visits within its work limit, counting every pass. */
export function countSteps(rows: number, rowWork: number, settings: FitSettings): number {
  const wanted = Math.min(settings.epochs * rows, Math.max(settings.enoughSteps, settings.leastEpochs * rows))
  return Math.min(wanted, Math.ceil(settings.workLimit / rowWork))
}

/** A fitted multinomial logistic regression: column-major by feature, one weight per label. */
export interface LinearModel {
  readonly labels: number
  readonly weights: Float64Array
  readonly bias: Float64Array
  /** Rows visited, counting every pass. */
  readonly steps: number
}

/** A small deterministic generator of uniform numbers from 0 to 1, the one that the trained classifiers were split and shuffled with. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

function shuffle(order: Uint32Array, random: () => number): void {
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const kept = order[i] ?? 0
    order[i] = order[j] ?? 0
    order[j] = kept
  }
}

/** Adds the scores of one sparse row to `scores`. */
export function scoreRow(model: LinearModel, rows: SparseRows, row: number, scores: Float64Array): void {
  const { labels, weights, bias } = model
  for (let label = 0; label < labels; label++) scores[label] = (bias[label] ?? 0) * BIAS_INPUT
  for (let i = rows.offsets[row] ?? 0, end = rows.offsets[row + 1] ?? 0; i < end; i++) {
    const base = (rows.columns[i] ?? 0) * labels
    const value = rows.values[i] ?? 0
    for (let label = 0; label < labels; label++)
      scores[label] = (scores[label] ?? 0) + (weights[base + label] ?? 0) * value
  }
}

/** Replaces scores by `exp(score) / sum`, in place. */
export function softmax(scores: Float64Array, temperature = 1): void {
  let largest = -Infinity
  for (const score of scores) if (score > largest) largest = score
  let sum = 0
  for (let i = 0; i < scores.length; i++) {
    const value = Math.exp(((scores[i] ?? 0) - largest) / temperature)
    scores[i] = value
    sum += value
  }
  for (let i = 0; i < scores.length; i++) scores[i] = (scores[i] ?? 0) / sum
}

/**
 * Fits a multinomial logistic regression with an L2 penalty by stochastic gradient descent with per-weight steps
 * (AdaGrad: Duchi, Hazan, Singer, JMLR 12, 2011). The penalty acts on the weights of the row at hand.
 * @param chosen rows to fit on
 * @param targets label number of every row, also of those not chosen
 * @param checkpoint called for every row that is visited; ends the fit by throwing
 */
export function fitLogisticRegression(
  rows: SparseRows,
  chosen: Uint32Array,
  targets: Uint32Array,
  labels: number,
  settings: FitSettings,
  checkpoint?: () => void,
): LinearModel {
  const weights = new Float64Array(rows.dictionary.length * labels)
  const squares = new Float32Array(weights.length).fill(INITIAL_SQUARES)
  const bias = new Float64Array(labels)
  const biasSquares = new Float64Array(labels).fill(INITIAL_SQUARES)
  const penalty = 1 / (settings.inverseStrength * Math.max(1, chosen.length))
  const featuresPerRow = rows.columns.length / Math.max(1, rows.offsets.length - 1)
  const steps = countSteps(chosen.length, workPerRow(featuresPerRow, labels), settings)
  const order = chosen.slice()
  const random = mulberry32(settings.seed)
  const gradient = new Float64Array(labels)
  const model = { labels, weights, bias, steps }
  for (let done = 0; done < steps; done++) {
    checkpoint?.()
    const place = done % order.length
    if (place === 0) shuffle(order, random)
    const row = order[place] ?? 0
    scoreRow(model, rows, row, gradient)
    softmax(gradient)
    const target = targets[row] ?? 0
    gradient[target] = (gradient[target] ?? 0) - 1
    for (let i = rows.offsets[row] ?? 0, end = rows.offsets[row + 1] ?? 0; i < end; i++) {
      const base = (rows.columns[i] ?? 0) * labels
      const value = rows.values[i] ?? 0
      for (let label = 0; label < labels; label++) {
        const at = base + label
        const weight = weights[at] ?? 0
        const slope = (gradient[label] ?? 0) * value + penalty * weight
        const square = (squares[at] ?? 0) + slope * slope
        squares[at] = square
        weights[at] = weight - (LEARNING_RATE * slope) / Math.sqrt(square)
      }
    }
    for (let label = 0; label < labels; label++) {
      const slope = (gradient[label] ?? 0) * BIAS_INPUT + penalty * (bias[label] ?? 0)
      const square = (biasSquares[label] ?? 0) + slope * slope
      biasSquares[label] = square
      bias[label] = (bias[label] ?? 0) - (LEARNING_RATE * slope) / Math.sqrt(square)
    }
  }
  return model
}
