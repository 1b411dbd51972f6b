import { expect } from 'chai'
import { DualFit } from '../../../core/model/classifier/dual-fit.ts'
import { ShareSolver } from '../../../core/model/classifier/label-shares.ts'
import {
  BIAS_INPUT,
  mulberry32,
  scoreRow,
  softmax,
  type LinearModel,
} from '../../../core/model/classifier/logistic-regression.ts'
import { buildSparseRows } from '../../../core/model/classifier/sparse-rows.ts'

const SETTINGS = { epochs: 500, enoughSteps: 1e9, leastEpochs: 3, workLimit: 1e12, seed: 11 }
const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heath']

/** Rows of three words each, with labels that the words hardly explain. */
function given(count: number, labels: number) {
  const random = mulberry32(5)
  const pick = (of: number) => Math.floor(random() * of)
  const inputs = Array.from({ length: count }, () => [0, 1, 2].map(() => WORDS[pick(WORDS.length)] ?? '').join(' '))
  const rows = buildSparseRows(inputs, { wordGrams: 1, charGrams: [0, 0] }, { maxColumns: 100, maxChars: 1e6 })
  const chosen = Uint32Array.from(inputs.keys())
  return { rows, chosen, targets: chosen.map(() => pick(labels)), labels }
}

type Given = ReturnType<typeof given>

/** The penalised loss of a model, and where the weights go by one step down its slope. */
function descend({ rows, chosen, targets, labels }: Given, { weights, bias }: LinearModel, strength: number) {
  const slopes = weights.map((weight) => weight / strength)
  const ofBias = bias.map((weight) => weight / strength)
  let loss = [...weights, ...bias].reduce((sum, weight) => sum + weight ** 2, 0) / (2 * strength)
  for (const row of chosen) {
    const errors = new Float64Array(labels)
    scoreRow({ labels, weights, bias }, rows, row, errors)
    softmax(errors)
    const target = targets[row] ?? 0
    loss -= Math.log(errors[target] ?? 0)
    errors[target] = (errors[target] ?? 0) - 1
    errors.forEach((error, label) => {
      ofBias[label] = (ofBias[label] ?? 0) + error * BIAS_INPUT
      for (let i = rows.offsets[row] ?? 0; i < (rows.offsets[row + 1] ?? 0); i++) {
        const at = (rows.columns[i] ?? 0) * labels + label
        slopes[at] = (slopes[at] ?? 0) + error * (rows.values[i] ?? 0)
      }
    })
  }
  const length = 1 / (chosen.length / 2 + 1 / strength)
  const stepped = (values: Float64Array, by: Float64Array) => values.map((value, i) => value - length * (by[i] ?? 0))
  return { loss, next: { labels, weights: stepped(weights, slopes), bias: stepped(bias, ofBias) } }
}

/** The least penalised loss, by steps down the slope. */
function leastLoss(rows: Given, strength: number): number {
  let { model } = new DualFit(rows, SETTINGS)
  for (let step = 0; step < 3000; step++) model = descend(rows, model, strength).next
  return descend(rows, model, strength).loss
}

describe('fit of a logistic regression', () => {
  it('ends where the penalised loss is least, for each strength, also after a fit of another strength', () => {
    const rows = given(80, 3)
    for (const strengths of [[1], [3], [30], [1, 30], [30, 1]]) {
      const fit = new DualFit(rows, SETTINGS)
      for (const strength of strengths) fit.fit(strength)
      const strength = strengths.at(-1) ?? 0
      const least = leastLoss(rows, strength)
      const { loss } = descend(rows, fit.model, strength)
      expect(loss, JSON.stringify(strengths)).to.be.within(least * 0.9999, least * 1.005)
    }
  })

  it('solves for the shares of a row, whatever the scores and the strength', () => {
    const random = mulberry32(9)
    for (let round = 0; round < 2000; round++) {
      const labels = 2 + Math.floor(random() * 6)
      const solver = new ShareSolver(labels)
      const scores = Float64Array.from({ length: labels }, () => (random() - 0.5) * 10 ** (random() * 3))
      const before = new Float32Array(labels)
      before[Math.floor(random() * labels)] = 1
      const c = 10 ** (random() * 6 - 3)
      const shares = before.slice()
      solver.scores.set(scores)
      const moved = solver.solve(shares, c)
      expect(shares.reduce((sum, share) => sum + share, 0)).to.be.closeTo(1, 1e-5)
      expect(moved).to.be.within(0, 1.00001)
      const expected = scores.map((score, label) => score - c * ((shares[label] ?? 0) - (before[label] ?? 0)))
      softmax(expected)
      // A rounded share moves its score by as much as c times the rounding.
      shares.forEach((share, label) => expect(share).to.be.closeTo(expected[label] ?? 0, 1e-5 * (1 + c)))
    }
  })

  it('learns rows by their first visits where its work is bounded', () => {
    const rows = given(80, 3)
    const fit = new DualFit(rows, { ...SETTINGS, workLimit: 1 })
    expect(fit.fit(1).steps).to.equal(1)
    expect(fit.model.weights.every(Number.isFinite)).to.equal(true)
  })
})
