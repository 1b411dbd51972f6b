import { normalQuantile } from './normal.ts'

/** One comparison of two items, by their places. */
export interface Preference {
  readonly first: number
  readonly second: number
  /** Share that the first won: 1, 0, or 0.5 for a tie. */
  readonly won: number
}

/** The strength of an item, on a logarithmic scale whose mean is 0. */
export interface Strength {
  readonly strength: number
  /** Wald's standard error, and the 95 % interval that follows from it. */
  readonly stderr: number
  readonly low: number
  readonly high: number
}

/** Weight of the penalty on the sum of squared strengths: an item that never lost has a finite strength. */
const RIDGE = 1e-3
const MOST_STEPS = 1000
const TOLERANCE = 1e-10
/** Longest step of one strength: keeps Newton's method from leaping out of the range of the exponential. */
const MOST_STEP = 4

/**
 * Fits the model of Bradley and Terry (Biometrika 39, 1952) by Newton's method: the likeliest strengths under which `first` beats
 * `second` with probability 1 / (1 + exp(s_second - s_first)), less a ridge of 1e-3 times the sum of squares. Ties count half
 * to each side. The errors are the roots of the diagonal of the inverse of the negative second derivative.
 */
export function bradleyTerry(items: number, preferences: readonly Preference[]): readonly Strength[] {
  const strengths = new Float64Array(items)
  for (let step = 0; step < MOST_STEPS; step++) {
    const { slope, curvature } = derivatives(strengths, preferences)
    if (Math.max(...slope.map(Math.abs), 0) < TOLERANCE) break
    const move = product(invert(curvature), slope)
    const scale = Math.min(1, MOST_STEP / Math.max(...move.map(Math.abs), Number.MIN_VALUE))
    for (let i = 0; i < items; i++) strengths[i] = (strengths[i] ?? 0) + scale * (move[i] ?? 0)
  }
  const inverse = invert(derivatives(strengths, preferences).curvature)
  const middle = strengths.reduce((sum, strength) => sum + strength, 0) / Math.max(1, items)
  const reach = normalQuantile(0.975)
  return Array.from(strengths, (strength, i) => {
    const stderr = Math.sqrt(Math.max(0, centredVariance(inverse, i)))
    const centred = strength - middle
    return { strength: centred, stderr, low: centred - reach * stderr, high: centred + reach * stderr }
  })
}

/** The slope of the penalised likelihood, and the negative of its second derivative. */
function derivatives(strengths: Float64Array, preferences: readonly Preference[]) {
  const items = strengths.length
  const slope = Array.from(strengths, (strength) => -2 * RIDGE * strength)
  const curvature = Array.from({ length: items }, (_, i) =>
    Array.from({ length: items }, (__, j) => (i === j ? 2 * RIDGE : 0)),
  )
  const add = (row: number, column: number, value: number): void => {
    const line = curvature[row]
    if (line !== undefined) line[column] = (line[column] ?? 0) + value
  }
  for (const { first, second, won } of preferences) {
    const expected = 1 / (1 + Math.exp((strengths[second] ?? 0) - (strengths[first] ?? 0)))
    slope[first] = (slope[first] ?? 0) + won - expected
    slope[second] = (slope[second] ?? 0) - won + expected
    const weight = expected * (1 - expected)
    add(first, first, weight)
    add(second, second, weight)
    add(first, second, -weight)
    add(second, first, -weight)
  }
  return { slope, curvature }
}

/** The variance of a strength less the mean of all: without it the ridge alone would hold the mean. */
function centredVariance(inverse: readonly (readonly number[])[], place: number): number {
  const items = inverse.length
  const weights = Array.from({ length: items }, (_, i) => (i === place ? 1 : 0) - 1 / items)
  return product(inverse, weights).reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0)
}

function product(matrix: readonly (readonly number[])[], vector: readonly number[]): readonly number[] {
  return matrix.map((row) => row.reduce((sum, value, i) => sum + value * (vector[i] ?? 0), 0))
}

/** The inverse of a positive definite matrix, by Gauss and Jordan. */
function invert(matrix: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const size = matrix.length
  const rows = matrix.map((row, i) => [...row, ...Array.from({ length: size }, (_, j) => (i === j ? 1 : 0))])
  for (const [at, pivotRow] of rows.entries()) {
    const pivot = pivotRow[at] ?? 1
    for (let j = 0; j < pivotRow.length; j++) pivotRow[j] = (pivotRow[j] ?? 0) / pivot
    for (const [other, row] of rows.entries()) {
      const factor = row[at] ?? 0
      if (other === at || factor === 0) continue
      for (let j = 0; j < row.length; j++) row[j] = (row[j] ?? 0) - factor * (pivotRow[j] ?? 0)
    }
  }
  return rows.map((row) => row.slice(size))
}
