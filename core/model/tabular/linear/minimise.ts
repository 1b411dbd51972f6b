const MEMORY = 10
const ARMIJO = 1e-4
const MAX_HALVINGS = 30

/** A differentiable function: writes the gradient at `x` and returns the value. */
export type Objective = (x: Float64Array, gradient: Float64Array) => number

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

/** target += factor * step */
function addScaled(target: Float64Array, factor: number, step: Float64Array): void {
  for (let i = 0; i < target.length; i++) target[i] = (target[i] ?? 0) + factor * (step[i] ?? 0)
}

interface Pair {
  readonly moved: Float64Array
  readonly turned: Float64Array
  readonly curvature: number
}

/** The direction of L-BFGS by two-loop recursion (Nocedal and Wright, Numerical Optimization, algorithm 7.4). */
function direction(gradient: Float64Array, pairs: readonly Pair[]): Float64Array {
  const q = gradient.map((value) => -value)
  const weights: number[] = []
  for (const { moved, turned, curvature } of pairs.toReversed()) {
    const weight = dot(moved, q) / curvature
    weights.push(weight)
    addScaled(q, -weight, turned)
  }
  const last = pairs.at(-1)
  if (last !== undefined) {
    const scale = last.curvature / dot(last.turned, last.turned)
    for (let i = 0; i < q.length; i++) q[i] = (q[i] ?? 0) * scale
  }
  for (const { moved, turned, curvature } of pairs)
    addScaled(q, (weights.pop() ?? 0) - dot(turned, q) / curvature, moved)
  return q
}

/**
 * Minimises a convex function from a start by L-BFGS with backtracking. Ends when no slope is larger than the
 * tolerance, when the value falls no further, or after the given number of iterations.
 */
export function minimise(
  objective: Objective,
  start: Float64Array,
  iterations: number,
  tolerance: number,
): Float64Array {
  let x = start.slice()
  let gradient = new Float64Array(x.length)
  let value = objective(x, gradient)
  const pairs: Pair[] = []
  for (let iteration = 0; iteration < iterations; iteration++) {
    if (gradient.every((slope) => Math.abs(slope) <= tolerance)) break
    const step = direction(gradient, pairs)
    const slope = dot(step, gradient)
    if (!(slope < 0)) break
    let length = pairs.length === 0 ? Math.min(1, 1 / Math.sqrt(dot(gradient, gradient))) : 1
    let next = x
    let nextGradient = gradient
    let nextValue = Infinity
    for (let halving = 0; halving < MAX_HALVINGS; halving++, length /= 2) {
      next = x.slice()
      addScaled(next, length, step)
      nextGradient = new Float64Array(x.length)
      nextValue = objective(next, nextGradient)
      if (nextValue <= value + ARMIJO * length * slope) break
      nextValue = Infinity
    }
    if (!(nextValue < value)) break
    const moved = next.map((one, i) => one - (x[i] ?? 0))
    const turned = nextGradient.map((one, i) => one - (gradient[i] ?? 0))
    const curvature = dot(moved, turned)
    if (curvature > 1e-12 * dot(turned, turned)) pairs.push({ moved, turned, curvature })
    if (pairs.length > MEMORY) pairs.shift()
    x = next
    gradient = nextGradient
    value = nextValue
  }
  return x
}
