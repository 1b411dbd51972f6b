import { baseScores, countRows, toSlopes, type Truth } from '../fit/losses.ts'
import { minimise } from './minimise.ts'

/** Inputs of the linear learner: one row after the other, centred and scaled; 0 stands for a missing value. */
export interface ScaledRows {
  readonly features: number
  readonly values: Float64Array
}

/** Centre and spread of each feature over the rows where it has a value. */
export interface Scaling {
  readonly center: Float64Array
  readonly spread: Float64Array
}

/** A linear model over scaled rows: the weights of a feature for all scores, feature after feature, then the biases. */
export type LinearWeights = Float64Array

/** Measures the features of the given rows. A feature without spread gets the spread 1. */
export function measureScaling(matrix: Float64Array, features: number, rows: Uint32Array): Scaling {
  const center = new Float64Array(features)
  const spread = new Float64Array(features).fill(1)
  for (let f = 0; f < features; f++) {
    let sum = 0
    let count = 0
    for (const row of rows) {
      const value = matrix[row * features + f] ?? NaN
      if (Number.isNaN(value)) continue
      sum += value
      count++
    }
    if (count === 0) continue
    const mean = sum / count
    let squares = 0
    for (const row of rows) {
      const value = matrix[row * features + f] ?? NaN
      if (!Number.isNaN(value)) squares += (value - mean) * (value - mean)
    }
    center[f] = mean
    const deviation = Math.sqrt(squares / count)
    if (deviation > 1e-12 * Math.abs(mean)) spread[f] = deviation
  }
  return { center, spread }
}

/** The given rows, centred and scaled. */
export function scaleRows(matrix: Float64Array, { center, spread }: Scaling, rows: Uint32Array): ScaledRows {
  const features = center.length
  const values = new Float64Array(rows.length * features)
  for (const [i, row] of rows.entries()) {
    for (let f = 0; f < features; f++) {
      const value = ((matrix[row * features + f] ?? NaN) - (center[f] ?? 0)) / (spread[f] ?? 1)
      values[i * features + f] = Number.isNaN(value) ? 0 : value
    }
  }
  return { features, values }
}

/** Scores of all rows under a model. */
export function scoreLinear({ features, values }: ScaledRows, scores: number, weights: LinearWeights): Float64Array {
  const rows = features === 0 ? 0 : values.length / features
  const out = new Float64Array(rows * scores)
  for (let row = 0; row < rows; row++) scoreInto(values, row * features, features, scores, weights, out, row * scores)
  return out
}

function scoreInto(
  values: Float64Array,
  from: number,
  features: number,
  scores: number,
  weights: LinearWeights,
  out: Float64Array,
  at: number,
): void {
  const bias = features * scores
  if (scores === 1) {
    let sum = weights[bias] ?? 0
    for (let f = 0; f < features; f++) sum += (values[from + f] ?? 0) * (weights[f] ?? 0)
    out[at] = sum
    return
  }
  for (let k = 0; k < scores; k++) out[at + k] = weights[bias + k] ?? 0
  for (let f = 0, w = 0; f < features; f++) {
    const value = values[from + f] ?? 0
    if (value === 0) {
      w += scores
      continue
    }
    for (let k = 0; k < scores; k++, w++) out[at + k] = (out[at + k] ?? 0) + value * (weights[w] ?? 0)
  }
}

/** Bounds and penalty of a linear fit. */
export interface LinearSettings {
  /** Strength of the L2 penalty, relative to the sum of the losses of all rows. */
  readonly penalty: number
  readonly iterations: number
  readonly start?: LinearWeights
  readonly checkpoint: () => void
}

/** Keeps the bias of a label without rows finite. */
const BIAS_PENALTY = 1e-4

/**
 * Fits a linear model with an L2 penalty by L-BFGS: multinomial or logistic regression for labels, ridge regression
 * for numbers. The sums go over the rows in order, so the same rows give the same bits.
 */
export function fitLinear(rows: ScaledRows, truth: Truth, settings: LinearSettings): LinearWeights {
  const { features, values } = rows
  const { scores } = truth
  const count = countRows(truth)
  const bias = features * scores
  const own = new Float64Array(scores)
  const penalty = settings.penalty / count
  const start = settings.start ?? new Float64Array(bias + scores)
  if (settings.start === undefined) start.set(baseScores(truth), bias)
  return minimise(
    (weights, gradient) => {
      settings.checkpoint()
      gradient.fill(0)
      let loss = 0
      for (let row = 0; row < count; row++) {
        const from = row * features
        scoreInto(values, from, features, scores, weights, own, 0)
        loss += toSlopes(truth, row, own, 0)
        addSlopes(values, from, features, own, gradient)
        for (let k = 0; k < scores; k++) gradient[bias + k] = (gradient[bias + k] ?? 0) + (own[k] ?? 0)
      }
      let squares = 0
      for (let i = 0; i < gradient.length; i++) {
        const strength = i < bias ? penalty : BIAS_PENALTY / count
        const weight = weights[i] ?? 0
        gradient[i] = (gradient[i] ?? 0) / count + strength * weight
        squares += strength * weight * weight
      }
      return loss / count + 0.5 * squares
    },
    start,
    settings.iterations,
    1e-7,
  )
}

function addSlopes(
  values: Float64Array,
  from: number,
  features: number,
  slopes: Float64Array,
  gradient: Float64Array,
): void {
  const scores = slopes.length
  if (scores === 1) {
    const slope = slopes[0] ?? 0
    for (let f = 0; f < features; f++) gradient[f] = (gradient[f] ?? 0) + slope * (values[from + f] ?? 0)
    return
  }
  for (let f = 0, w = 0; f < features; f++) {
    const value = values[from + f] ?? 0
    if (value === 0) {
      w += scores
      continue
    }
    for (let k = 0; k < scores; k++, w++) gradient[w] = (gradient[w] ?? 0) + value * (slopes[k] ?? 0)
  }
}
