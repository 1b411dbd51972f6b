/** Rows of a binary regression: signals, the first of them constant, and what they stand for. */
export interface BinaryRows {
  readonly signals: readonly (readonly number[])[]
  readonly isTrue: readonly boolean[]
}

/** L2 penalty on the weights of standardised signals. */
const PENALTY = 0.5
const STEPS = 40

/** Fits a logistic regression with an L2 penalty by Newton's method; returns a weight for each signal. */
export function fitLogistic({ signals, isTrue }: BinaryRows, penalty = PENALTY): readonly number[] {
  const size = signals[0]?.length ?? 0
  const means = Array.from({ length: size }, (_, at) => (at === 0 ? 0 : mean(signals.map((row) => row[at] ?? 0))))
  const scales = means.map((middle, at) =>
    at === 0 ? 1 : Math.sqrt(mean(signals.map((row) => ((row[at] ?? 0) - middle) ** 2))) || 1,
  )
  const rows = signals.map((row) => row.map((value, at) => (value - (means[at] ?? 0)) / (scales[at] ?? 1)))
  let weights = means.map(() => 0)
  for (let step = 0; step < STEPS; step++) {
    const change = newtonStep(rows, isTrue, weights, penalty)
    weights = weights.map((weight, at) => weight - (change[at] ?? 0))
    if (Math.max(...change.map(Math.abs)) < 1e-7) break
  }
  const scaled = weights.map((weight, at) => weight / (scales[at] ?? 1))
  const shift = scaled.reduce((sum, weight, at) => (at === 0 ? sum : sum + weight * (means[at] ?? 0)), 0)
  return scaled.map((weight, at) => Number((at === 0 ? weight - shift : weight).toPrecision(5)))
}

function newtonStep(
  rows: readonly (readonly number[])[],
  isTrue: readonly boolean[],
  weights: readonly number[],
  penalty: number,
): readonly number[] {
  const size = weights.length
  const gradient = new Float64Array(size)
  const hessian = weights.map(() => new Float64Array(size))
  for (const [at, row] of rows.entries()) {
    let sum = 0
    for (let i = 0; i < size; i++) sum += (row[i] ?? 0) * (weights[i] ?? 0)
    const probability = 1 / (1 + Math.exp(-sum))
    const error = probability - (isTrue[at] === true ? 1 : 0)
    const curvature = Math.max(1e-6, probability * (1 - probability))
    for (let i = 0; i < size; i++) {
      const value = row[i] ?? 0
      gradient[i] = (gradient[i] ?? 0) + error * value
      const line = hessian[i]
      if (line === undefined) continue
      for (let j = 0; j < size; j++) line[j] = (line[j] ?? 0) + curvature * value * (row[j] ?? 0)
    }
  }
  for (let i = 1; i < size; i++) {
    gradient[i] = (gradient[i] ?? 0) + penalty * (weights[i] ?? 0)
    const line = hessian[i]
    if (line !== undefined) line[i] = (line[i] ?? 0) + penalty
  }
  return solve(hessian, gradient)
}

/** Solves a system of linear equations by elimination with pivots. */
function solve(matrix: readonly Float64Array[], right: Float64Array): readonly number[] {
  const lines = matrix.map((line, at) => [...line, right[at] ?? 0])
  const size = lines.length
  for (let at = 0; at < size; at++) {
    const pivot = lines.reduce(
      (best, line, i) => (i >= at && Math.abs(line[at] ?? 0) > Math.abs(lines[best]?.[at] ?? 0) ? i : best),
      at,
    )
    const [upper, lower] = [lines[at] ?? [], lines[pivot] ?? []]
    lines[at] = lower
    lines[pivot] = upper
    for (const [i, line] of lines.entries()) {
      if (i === at) continue
      const factor = (line[at] ?? 0) / (lower[at] ?? 1)
      for (let j = at; j <= size; j++) line[j] = (line[j] ?? 0) - factor * (lower[j] ?? 0)
    }
  }
  return lines.map((line, at) => (line[size] ?? 0) / (line[at] ?? 1))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
