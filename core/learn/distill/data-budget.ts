import { fitCurve, lossAt, type Curve } from './curve-fit.ts'

/** A finished run as a point of the curve: rows learned from, and the K-score that was measured. */
export interface BudgetPoint {
  readonly pairs: number
  readonly kScore: number
}

/** The expected gain of more rows, by the runs so far. */
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

/** Points, and their distance from the curve, from which on a fit is trusted (reference 15.6). */
const LEAST_POINTS = 4
const MOST_RMSD = 0.05
/** Largest number of rows that a budget names. */
const MOST_ROWS = 10_000_000
const LEAST_LOSS = 1e-6
const CURVE_STEPS = 12

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
  const curve = fitCurve(observed)
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

function curveOf(curve: Curve, most: number): { n: number; k_hat: number }[] {
  const top = Math.log(Math.max(2, most))
  const places = Array.from({ length: CURVE_STEPS }, (_, at) => Math.round(Math.exp((top * (at + 1)) / CURVE_STEPS)))
  return [...new Set(places)].map((n) => ({ n, k_hat: kAt(curve, n) }))
}
