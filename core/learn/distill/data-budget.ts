/** A finished run as a point of the curve: rows learned from, and the K-score that was measured. */
export interface BudgetPoint {
  readonly pairs: number
  readonly kScore: number
}

/** What more rows would bring, by the runs so far. */
export interface DataBudget {
  readonly basis: 'rectified' | 'insufficient'
  /** `acquire`: rows are missing. `stop`: the target is reached. `switch`: more rows of this kind do not reach it. */
  readonly verdict: 'acquire' | 'stop' | 'switch' | null
  readonly required_examples: number | null
  readonly pairs_remaining: number | null
  readonly marginal_dk_per_row: number | null
  readonly expected_k_at_current: number | null
  readonly achievable_k_max: number | null
  /** Root of the mean squared residual of the logarithm of the loss. */
  readonly rmsd: number | null
  readonly points: number
  readonly curve: { readonly n: number; readonly k_hat: number }[]
}

interface Curve {
  readonly b: number
  readonly dl: number
  readonly beta: number
  readonly e: number
}

/** Points, and their distance from the curve, from which on a fit is trusted (reference 15.6). */
const LEAST_POINTS = 4
const MOST_RMSD = 0.05
const HUBER_DELTA = 0.001
/** Largest number of rows that a budget names. */
const MOST_ROWS = 10_000_000
const LEAST_LOSS = 1e-6
const CURVE_STEPS = 12
/** Rounds of the search that refines the best point of the grid. */
const ROUNDS = 2000

/**
 * Fits the rectified scaling law L(D) = B / (Dl + D^beta) + E (Lin et al. 2024, reference 15.6) to finished runs in loss space,
 * L = -ln K, by the Huber loss of log residuals, and answers what more rows would bring. `insufficient` below four runs of
 * different size, or when the curve misses them.
 * @param target the K-score that is aimed for
 * @param current rows that there are now
 */
export function planDataBudget(
  points: readonly BudgetPoint[],
  { target, current }: { readonly target: number; readonly current: number },
): DataBudget {
  const usable = points.filter(({ pairs, kScore }) => pairs > 0 && kScore > 0)
  if (usable.length < LEAST_POINTS || new Set(usable.map(({ pairs }) => pairs)).size < LEAST_POINTS) {
    return insufficient(usable.length, null)
  }
  const observed = usable.map(({ pairs, kScore }) => ({ n: pairs, loss: Math.max(LEAST_LOSS, -Math.log(kScore)) }))
  const curve = fit(observed)
  const rmsd = Math.sqrt(
    observed.reduce((sum, { n, loss }) => sum + (Math.log(lossAt(curve, n)) - Math.log(loss)) ** 2, 0) /
      observed.length,
  )
  if (rmsd > MOST_RMSD) return insufficient(usable.length, rmsd)
  const most = Math.exp(-curve.e)
  const expected = kAt(curve, Math.max(1, current))
  const required = target >= most ? null : rowsFor(curve, target)
  const isReached = expected >= target
  return {
    basis: 'rectified',
    verdict: isReached ? 'stop' : required === null ? 'switch' : 'acquire',
    required_examples: required,
    pairs_remaining: required === null ? null : Math.max(0, required - current),
    marginal_dk_per_row: kAt(curve, current + 1) - expected,
    expected_k_at_current: expected,
    achievable_k_max: most,
    rmsd,
    points: usable.length,
    curve: curveOf(curve, Math.max(current, required ?? 0, ...usable.map(({ pairs }) => pairs))),
  }
}

function insufficient(points: number, rmsd: number | null): DataBudget {
  return {
    basis: 'insufficient',
    verdict: null,
    required_examples: null,
    pairs_remaining: null,
    marginal_dk_per_row: null,
    expected_k_at_current: null,
    achievable_k_max: null,
    rmsd,
    points,
    curve: [],
  }
}

function lossAt({ b, dl, beta, e }: Curve, n: number): number {
  return b / (dl + n ** beta) + e
}

function kAt(curve: Curve, n: number): number {
  return Math.exp(-lossAt(curve, n))
}

/** The least number of rows at which the curve reaches a K-score; null beyond the largest that is named. */
function rowsFor(curve: Curve, target: number): number | null {
  if (kAt(curve, MOST_ROWS) < target) return null
  let [low, high] = [1, MOST_ROWS]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (kAt(curve, middle) >= target) high = middle
    else low = middle + 1
  }
  return low
}

interface Observed {
  readonly n: number
  readonly loss: number
}

/** Searches a grid of shapes, each with its best scale, and refines the best by steps that shrink. */
function fit(observed: readonly Observed[]): Curve {
  const least = Math.min(...observed.map(({ loss }) => loss))
  let best = { curve: { b: 1, dl: 0, beta: 0.5, e: 0 }, cost: Number.POSITIVE_INFINITY }
  for (const beta of [0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.2]) {
    for (const dl of [0, 1, 3, 10, 30, 100, 300]) {
      for (const share of [0, 0.2, 0.4, 0.6, 0.8, 0.95]) {
        const curve = scaled(observed, { beta, dl, e: share * least })
        const cost = costOf(observed, curve)
        if (cost < best.cost) best = { curve, cost }
      }
    }
  }
  let step = 0.3
  for (let round = 0; round < ROUNDS && step > 1e-7; round++) {
    const next = neighbours(best.curve, step, least)
      .map((shape) => scaled(observed, shape))
      .map((curve) => ({ curve, cost: costOf(observed, curve) }))
      .reduce((a, b) => (b.cost < a.cost ? b : a))
    if (next.cost < best.cost) best = next
    else step /= 2
  }
  return best.curve
}

/** The shapes a step away in each combination of directions: the valley of the cost lies across them. */
function neighbours({ beta, dl, e }: Curve, step: number, least: number): readonly Omit<Curve, 'b'>[] {
  const moves = [-1, 0, 1]
  return moves.flatMap((first) =>
    moves.flatMap((second) =>
      moves.map((third) => ({
        beta: beta * (1 + step) ** first,
        dl: Math.max(0, (dl + 1) * (1 + step) ** second - 1),
        e: Math.min(0.999 * least, Math.max(0, e + third * step * (least - e))),
      })),
    ),
  )
}

/** A shape with the scale that is the geometric mean of those that its points ask for. */
function scaled(observed: readonly Observed[], shape: Omit<Curve, 'b'>): Curve {
  const logs = observed.map(({ n, loss }) => Math.log(Math.max(1e-12, loss - shape.e) * (shape.dl + n ** shape.beta)))
  return { ...shape, b: Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length) }
}

function costOf(observed: readonly Observed[], curve: Curve): number {
  return observed.reduce((sum, { n, loss }) => {
    const residual = Math.abs(Math.log(lossAt(curve, n)) - Math.log(loss))
    return sum + (residual <= HUBER_DELTA ? residual ** 2 / 2 : HUBER_DELTA * (residual - HUBER_DELTA / 2))
  }, 0)
}

function curveOf(curve: Curve, most: number): { n: number; k_hat: number }[] {
  const top = Math.log(Math.max(2, most))
  const places = Array.from({ length: CURVE_STEPS }, (_, at) => Math.round(Math.exp((top * (at + 1)) / CURVE_STEPS)))
  return [...new Set(places)].map((n) => ({ n, k_hat: kAt(curve, n) }))
}
