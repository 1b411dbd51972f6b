import {
  BIAS_INPUT,
  countSteps,
  mulberry32,
  scoreRow,
  workPerRow,
  type FitSettings,
  type LinearModel,
} from './logistic-regression.ts'
import { ShareSolver } from './label-shares.ts'
import type { SparseRows } from './sparse-rows.ts'

/** A fit has settled when a pass moves less than this share of each row to another label, on average. */
const SETTLED = 0.002
/** Shares that are kept at most, in 64 MiB: of more rows, the first of the shuffle are learned. */
const MAX_SHARES = 2 ** 24

/** Rows of a fit: those that it learns, and the label number of every row, also of those that it does not. */
export interface FittedRows {
  readonly rows: SparseRows
  readonly chosen: Uint32Array
  readonly targets: Uint32Array
  readonly labels: number
}

/**
 * Fits a multinomial logistic regression with an L2 penalty, the bias included, by coordinate ascent of its dual (Yu,
 * Huang, Lin: Dual coordinate descent methods for logistic regression and maximum entropy models, Machine Learning 85,
 * 2011): each learned row has a share of every label, and the weights are the sum over rows of its features times
 * what its own label lacks. A visit solves for the shares of one row, so the fit needs no step length and settles
 * after some ten passes.
 */
export class DualFit {
  /** The model as it is fitted so far: of zeros before the first fit. */
  readonly model: LinearModel
  /** Rows visited, counting every pass of every fit. */
  steps = 0
  readonly #given: FittedRows
  readonly #settings: FitSettings
  readonly #checkpoint: (() => void) | undefined
  readonly #random: () => number
  /** Places of the learned rows in \`shares\` and \`lengths\`, shuffled for each pass. */
  readonly #order: Uint32Array
  readonly #learned: Uint32Array
  readonly #shares: Float32Array
  /** Squared lengths of the learned rows, the constant feature included. */
  readonly #lengths: Float64Array
  readonly #solver: ShareSolver
  #inverseStrength = 1

  /** @param checkpoint called for every row that is visited; ends the fit by throwing */
  constructor(given: FittedRows, settings: FitSettings, checkpoint?: () => void) {
    const { rows, chosen, targets, labels } = given
    this.#given = given
    this.#settings = settings
    this.#checkpoint = checkpoint
    this.#random = mulberry32(settings.seed)
    const shuffled = chosen.slice()
    shuffle(shuffled, this.#random)
    this.#learned = shuffled.subarray(0, Math.max(1, Math.floor(MAX_SHARES / labels)))
    this.#order = Uint32Array.from(this.#learned.keys())
    // All of each row belongs to its own label, so that the weights are zero.
    this.#shares = new Float32Array(this.#learned.length * labels)
    this.#learned.forEach((row, place) => (this.#shares[place * labels + (targets[row] ?? 0)] = 1))
    this.#lengths = Float64Array.from(this.#learned, (row) => BIAS_INPUT ** 2 + squaredLength(rows, row))
    this.#solver = new ShareSolver(labels)
    this.model = { labels, weights: new Float64Array(rows.dictionary.length * labels), bias: new Float64Array(labels) }
  }

  /**
   * Fits the model from where the last fit ended.
   * @param inverseStrength inverse strength of the penalty against the loss of one row: C of the paper
   */
  fit(inverseStrength: number): this {
    const { rows, labels } = this.#given
    // The shares do not depend on the strength, and the weights are their sum times it.
    const scale = inverseStrength / this.#inverseStrength
    for (const values of [this.model.weights, this.model.bias])
      values.forEach((value, i) => (values[i] = value * scale))
    this.#inverseStrength = inverseStrength
    const featuresPerRow = rows.columns.length / Math.max(1, rows.offsets.length - 1)
    const order = this.#order
    const steps = countSteps(order.length, workPerRow(featuresPerRow, labels), this.#settings)
    let moved = 0
    for (let done = 0; done < steps; done++) {
      this.#checkpoint?.()
      const place = done % order.length
      if (place === 0) {
        if (done > 0 && moved < SETTLED * order.length) break
        shuffle(order, this.#random)
        moved = 0
      }
      moved += this.#visit(order[place] ?? 0)
      this.steps++
    }
    return this
  }

  /** Solves for the shares of one learned row; returns how much of them moved. */
  #visit(place: number): number {
    const { labels, weights, bias } = this.model
    const { rows } = this.#given
    const row = this.#learned[place] ?? 0
    const at = place * labels
    const solver = this.#solver
    scoreRow(this.model, rows, row, solver.scores)
    const shares = this.#shares.subarray(at, at + labels)
    const moved = solver.solve(shares, this.#inverseStrength * (this.#lengths[place] ?? 0))
    if (moved === 0) return 0
    const change = solver.change
    for (let label = 0; label < labels; label++) {
      const by = (change[label] ?? 0) * this.#inverseStrength
      change[label] = by
      bias[label] = (bias[label] ?? 0) + by * BIAS_INPUT
    }
    for (let i = rows.offsets[row] ?? 0, end = rows.offsets[row + 1] ?? 0; i < end; i++) {
      const base = (rows.columns[i] ?? 0) * labels
      const value = rows.values[i] ?? 0
      for (let label = 0; label < labels; label++)
        weights[base + label] = (weights[base + label] ?? 0) + (change[label] ?? 0) * value
    }
    return moved
  }
}

function squaredLength(rows: SparseRows, row: number): number {
  let sum = 0
  for (let i = rows.offsets[row] ?? 0, end = rows.offsets[row + 1] ?? 0; i < end; i++) sum += (rows.values[i] ?? 0) ** 2
  return sum
}

function shuffle(order: Uint32Array, random: () => number): void {
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const kept = order[i] ?? 0
    order[i] = order[j] ?? 0
    order[j] = kept
  }
}
