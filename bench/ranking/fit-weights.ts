import type { Weights } from './ranking-file.ts'
import type { RankedCandidate, SearchedTask } from './search-thread.ts'

/** The difference of two programs of one task: features of the wrong one less those of the right one. */
interface Pair {
  readonly at: readonly number[]
  readonly by: readonly number[]
  /** Pairs of one task weigh one together. */
  readonly share: number
}

const STEPS = 12
/** A step that moves no weight by more is the last. */
const SETTLED = 1e-6
/** Weights move within a scale of their own: a weight of 6 further than one of 0.1. */
const LEAST_SCALE = 0.1

function pairOf(
  right: RankedCandidate,
  wrong: RankedCandidate,
  index: ReadonlyMap<string, number>,
  share: number,
): Pair {
  const names = Object.keys({ ...right.features, ...wrong.features }).toSorted()
  const at: number[] = []
  const by: number[] = []
  for (const name of names) {
    const place = index.get(name)
    const difference = (wrong.features[name] ?? 0) - (right.features[name] ?? 0)
    if (place === undefined || difference === 0) continue
    at.push(place)
    by.push(difference)
  }
  return { at, by, share }
}

function pairsOf(tasks: readonly SearchedTask[], index: ReadonlyMap<string, number>): Pair[] {
  return tasks.flatMap(({ candidates }) => {
    const right = candidates.filter(({ isRight }) => isRight)
    const wrong = candidates.filter(({ isRight }) => !isRight)
    const share = 1 / (right.length * wrong.length)
    return right.flatMap((a) => wrong.map((b) => pairOf(a, b, index, share))).filter(({ at }) => at.length > 0)
  })
}

/** Solves a positive definite system by Cholesky's decomposition, in place. */
function solve(matrix: readonly Float64Array[], target: Float64Array): Float64Array {
  const size = target.length
  for (let i = 0; i < size; i++) {
    const row = matrix[i] ?? target
    for (let j = 0; j <= i; j++) {
      const other = matrix[j] ?? target
      let sum = row[j] ?? 0
      for (let m = 0; m < j; m++) sum -= (row[m] ?? 0) * (other[m] ?? 0)
      row[j] = i === j ? Math.sqrt(sum) : sum / (other[j] ?? 1)
    }
  }
  const x = Float64Array.from(target)
  for (let i = 0; i < size; i++) {
    const row = matrix[i] ?? target
    for (let m = 0; m < i; m++) x[i] = (x[i] ?? 0) - (row[m] ?? 0) * (x[m] ?? 0)
    x[i] = (x[i] ?? 0) / (row[i] ?? 1)
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let m = i + 1; m < size; m++) x[i] = (x[i] ?? 0) - (matrix[m]?.[i] ?? 0) * (x[m] ?? 0)
    x[i] = (x[i] ?? 0) / (matrix[i]?.[i] ?? 1)
  }
  return x
}

/**
 * Fits weights by the pairwise logistic loss of costs over temperature: the right program of a task is to cost less than
 * each wrong one. An L2 term of strength `lambda` holds every weight near its present value, on its own scale; no weight changes its sign. A
 * fixed number of Newton steps in float64, over features and pairs in a fixed order, makes the result the same
 * everywhere.
 */
export function fitWeights(
  present: Weights,
  tasks: readonly SearchedTask[],
  { lambda, temperature }: { readonly lambda: number; readonly temperature: number },
): Record<string, number> {
  const used = new Set(tasks.flatMap(({ candidates }) => candidates.flatMap(({ features }) => Object.keys(features))))
  const names = Object.keys(present)
    .filter((name) => used.has(name))
    .toSorted()
  const index = new Map(names.map((name, at) => [name, at]))
  const pairs = pairsOf(tasks, index)
  const start = Float64Array.from(names, (name) => present[name] ?? 0)
  const strength = start.map((weight) => lambda / Math.max(Math.abs(weight), LEAST_SCALE) ** 2)
  const weights = Float64Array.from(start)
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map((weight, i) => (strength[i] ?? 0) * (weight - (start[i] ?? 0)))
    const hessian = names.map((_, i) => {
      const row = new Float64Array(names.length)
      row[i] = strength[i] ?? 0
      return row
    })
    for (const { at, by, share } of pairs) {
      let margin = 0
      for (const [n, i] of at.entries()) margin += ((by[n] ?? 0) * (weights[i] ?? 0)) / temperature
      const miss = 1 / (1 + Math.exp(margin))
      const slope = (share * miss) / temperature
      const curve = (slope * (1 - miss)) / temperature
      for (const [n, i] of at.entries()) {
        gradient[i] = (gradient[i] ?? 0) - slope * (by[n] ?? 0)
        const row = hessian[i]
        if (row === undefined) continue
        for (const [m, j] of at.entries()) row[j] = (row[j] ?? 0) + curve * (by[n] ?? 0) * (by[m] ?? 0)
      }
    }
    const change = solve(hessian, gradient)
    let most = 0
    for (let i = 0; i < weights.length; i++) {
      const next = (weights[i] ?? 0) - (change[i] ?? 0)
      const kept = (start[i] ?? 0) < 0 ? Math.min(next, 0) : Math.max(next, 0)
      most = Math.max(most, Math.abs(kept - (weights[i] ?? 0)))
      weights[i] = kept
    }
    if (most < SETTLED) break
  }
  return { ...present, ...Object.fromEntries(names.map((name, at) => [name, weights[at] ?? 0])) }
}
