/** The curve L(D) = B / (Dl + D^beta) + E. */
export interface Curve {
  readonly b: number
  readonly dl: number
  readonly beta: number
  readonly e: number
}

/** The loss that was measured at a number of rows. */
export interface Observed {
  readonly n: number
  readonly loss: number
}

/** Points in columns, those of about the same size merged. */
interface Merged {
  readonly count: number
  readonly logN: Float64Array
  readonly logLoss: Float64Array
  /** Number of runs of each point. */
  readonly weight: Float64Array
  /** Largest E: a curve stays below each measured loss. */
  readonly most: number
}

const HUBER_DELTA = 0.001
/** Points that a curve is fitted to at most; runs of about the same size are one point, which counts as many as there are. */
const MOST_MERGED = 24
/** Shapes of the grid that are refined, the best ones, and the rounds of refining one. */
const STARTS = 6
const ROUNDS = 80
const PARAMETERS = 4

/** Returns the loss of a curve at a number of rows. */
export function lossAt({ b, dl, beta, e }: Curve, n: number): number {
  return b / (dl + n ** beta) + e
}

/**
 * Fits the curve by the Huber loss of log residuals: of a grid of shapes, each with its best scale, the best are refined by
 * Levenberg and Marquardt's method with weights that follow the residuals. Takes some milliseconds whatever the number of points.
 */
export function fitCurve(observed: readonly Observed[]): Curve {
  const merged = merge(observed)
  const starts: { readonly place: readonly number[]; readonly cost: number }[] = []
  for (const beta of [0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.2]) {
    for (const dl of [0.1, 1, 3, 10, 30, 100, 300]) {
      for (const share of [0.02, 0.2, 0.4, 0.6, 0.8, 0.95]) {
        const place = scaled(merged, { beta, dl, share })
        starts.push({ place, cost: costOf(merged, place) })
      }
    }
  }
  const refined = starts
    .toSorted((a, b) => a.cost - b.cost)
    .slice(0, STARTS)
    .map((start) => refine(merged, start))
  return curveAt(merged, refined.reduce((a, b) => (b.cost < a.cost ? b : a)).place)
}

/** Merges runs of about the same size, so that a fit takes as long for many runs as for few: mean size, median loss. */
function merge(observed: readonly Observed[]): Merged {
  const sizes = observed.map(({ n }) => Math.log(n))
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)]
  const isFew = observed.length <= MOST_MERGED
  const groups = Map.groupBy(observed, ({ n }, at) => {
    return isFew ? at : Math.min(MOST_MERGED - 1, Math.floor(((Math.log(n) - low) / (high - low)) * MOST_MERGED))
  })
  const points = [...groups.values()].map((group) => ({
    weight: group.length,
    logN: group.reduce((sum, { n }) => sum + Math.log(n), 0) / group.length,
    logLoss: medianOf(group.map(({ loss }) => Math.log(loss))),
  }))
  return {
    count: points.length,
    weight: Float64Array.from(points, ({ weight }) => weight),
    logN: Float64Array.from(points, ({ logN }) => logN),
    logLoss: Float64Array.from(points, ({ logLoss }) => logLoss),
    most: 0.999 * Math.exp(Math.min(...points.map(({ logLoss }) => logLoss))),
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [below = 0, above = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return (below + above) / 2
}

/** A curve by its unbounded parameters: logarithms of B, Dl and beta, and the logit of E's share of its largest value. */
function curveAt({ most }: Merged, [b = 0, dl = 0, beta = 0, e = 0]: readonly number[]): Curve {
  return { b: Math.exp(b), dl: Math.exp(dl), beta: Math.exp(beta), e: most / (1 + Math.exp(-e)) }
}

interface Shape {
  readonly beta: number
  readonly dl: number
  /** Share of E in its largest value. */
  readonly share: number
}

/** The parameters of a shape with the scale that is the geometric mean of those that its points ask for. */
function scaled({ count, logN, logLoss, weight, most }: Merged, { beta, dl, share }: Shape): readonly number[] {
  let logs = 0
  let weights = 0
  for (let at = 0; at < count; at++) {
    const rest = Math.max(1e-12, Math.exp(logLoss[at] ?? 0) - share * most)
    logs += (weight[at] ?? 0) * Math.log(rest * (dl + Math.exp(beta * (logN[at] ?? 0))))
    weights += weight[at] ?? 0
  }
  return [logs / weights, Math.log(dl), Math.log(beta), Math.log(share / (1 - share))]
}

function costOf(merged: Merged, place: readonly number[]): number {
  const { b, dl, beta, e } = curveAt(merged, place)
  let cost = 0
  for (let at = 0; at < merged.count; at++) {
    const loss = b / (dl + Math.exp(beta * (merged.logN[at] ?? 0))) + e
    const residual = Math.abs(Math.log(loss) - (merged.logLoss[at] ?? 0))
    const huber = residual <= HUBER_DELTA ? residual ** 2 / 2 : HUBER_DELTA * (residual - HUBER_DELTA / 2)
    cost += (merged.weight[at] ?? 0) * huber
  }
  return Number.isFinite(cost) ? cost : Number.POSITIVE_INFINITY
}

interface Refined {
  readonly place: readonly number[]
  readonly cost: number
}

function refine(merged: Merged, start: Refined): Refined {
  let best = start
  let damping = 1e-2
  let equations = normalEquations(merged, best.place)
  for (let round = 0; round < ROUNDS && damping < 1e8; round++) {
    const step = solve(equations, damping)
    const place = best.place.map((value, at) => value - Math.max(-2, Math.min(2, step[at] ?? 0)))
    const cost = costOf(merged, place)
    if (cost < best.cost) {
      best = { place, cost }
      equations = normalEquations(merged, place)
      damping = Math.max(1e-9, damping / 4)
    } else {
      damping *= 6
    }
  }
  return best
}

/** Rows of the weighted normal equations, the right side last. */
function normalEquations(merged: Merged, place: readonly number[]): readonly Float64Array[] {
  const { count, logN, logLoss, weight, most } = merged
  const { b, dl, beta, e } = curveAt(merged, place)
  const rows = Array.from({ length: PARAMETERS }, () => new Float64Array(PARAMETERS + 1))
  for (let at = 0; at < count; at++) {
    const power = Math.exp(beta * (logN[at] ?? 0))
    const share = b / (dl + power)
    const loss = share + e
    const residual = Math.log(loss) - (logLoss[at] ?? 0)
    const slopes = [
      share / loss,
      (-share * dl) / (dl + power) / loss,
      (-share * power * beta * (logN[at] ?? 0)) / (dl + power) / loss,
      (e * (1 - e / most)) / loss,
    ]
    const counted = (weight[at] ?? 0) * Math.min(1, HUBER_DELTA / Math.max(1e-12, Math.abs(residual)))
    for (const [place, row] of rows.entries()) {
      const slope = counted * (slopes[place] ?? 0)
      slopes.forEach((other, column) => (row[column] = (row[column] ?? 0) + slope * other))
      row[PARAMETERS] = (row[PARAMETERS] ?? 0) + slope * residual
    }
  }
  return rows
}

/** Solves the damped equations by elimination with pivots on the diagonal, which damping keeps positive. */
function solve(equations: readonly Float64Array[], damping: number): readonly number[] {
  const rows = equations.map((row, at) => {
    const damped = Float64Array.from(row)
    damped[at] = (row[at] ?? 0) * (1 + damping) + 1e-12
    return damped
  })
  for (const [at, pivot] of rows.entries()) {
    for (const row of rows.slice(at + 1)) {
      const factor = (row[at] ?? 0) / (pivot[at] ?? 1)
      for (let column = at; column <= PARAMETERS; column++)
        row[column] = (row[column] ?? 0) - factor * (pivot[column] ?? 0)
    }
  }
  const solution = Array.from({ length: PARAMETERS }, () => 0)
  for (let at = PARAMETERS - 1; at >= 0; at--) {
    const row = rows[at]
    const known = solution.reduce((sum, value, column) => (column > at ? sum + value * (row?.[column] ?? 0) : sum), 0)
    solution[at] = ((row?.[PARAMETERS] ?? 0) - known) / (row?.[at] ?? 1)
  }
  return solution
}
