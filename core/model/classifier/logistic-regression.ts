import type { SparseRows } from './sparse-rows.ts'

/** The value of the constant feature whose weight is the bias of a label. */
export const BIAS_INPUT = 0.25

/** Settings of a fit; the same settings and rows give the same weights. */
export interface FitSettings {
  /** Passes over a small number of rows, unless the fit settles before. */
  readonly epochs: number
  /** Rows to visit before fewer passes do, and the passes that remain when the rows are many. */
  readonly enoughSteps: number
  readonly leastEpochs: number
  /** Budget in multiply-adds; fewer rows are visited when all passes would exceed it. */
  readonly workLimit: number
  readonly seed: number
}

/** Multiply-adds of one visit of a row for each of its features and each label: scoring it and learning from it. */
const WORK_PER_WEIGHT = 2
/** Fixed cost of fetching a feature's weights, in units of labels. */
const LABELS_PER_FETCH = 6
/** Cost of solving for the share of one label, in multiply-adds. */
const WORK_PER_SHARE = 200

/** Returns the work of one row's visits, in multiply-adds. */
export function workPerRow(features: number, labels: number): number {
  return Math.max(1, features * (labels + LABELS_PER_FETCH) * WORK_PER_WEIGHT + labels * WORK_PER_SHARE)
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
