/** A finished compile as a data point. */
export interface RunPoint {
  readonly rows: number
  readonly kScore: number
}

/** Evidence from the tenant's own compiles on the value of more rows. */
export type Basis =
  | {
      readonly kind: 'own_runs'
      readonly runs: number
      /** K-score to expect at the asked number of rows, 0 to 1. */
      readonly expected_k: number
      /** Change of the K-score for each doubling of the rows. */
      readonly gain_per_doubling: number
      /** 95 % interval of that change. */
      readonly gain_low: number
      readonly gain_high: number
    }
  | { readonly kind: 'none'; readonly runs: number; readonly reason: string }

/** Fewer or closer points do not determine a slope. */
const MIN_RUNS = 5
const MIN_SPREAD = 2

/**
 * Fits the data-size curve: least squares of the K-score over log2(rows). Needs five runs whose row counts differ by a
 * factor of two; otherwise reports that there is no basis yet.
 */
export function learnBasis(points: readonly RunPoint[], rows: number): Basis {
  const usable = points.filter((point) => point.rows > 0)
  if (usable.length < MIN_RUNS)
    return { kind: 'none', runs: usable.length, reason: `needs ${MIN_RUNS} finished compiles` }
  const x = usable.map((point) => Math.log2(point.rows))
  const y = usable.map((point) => point.kScore)
  if (Math.max(...x) - Math.min(...x) < Math.log2(MIN_SPREAD)) {
    return { kind: 'none', runs: usable.length, reason: 'needs compiles of different sizes' }
  }
  const n = usable.length
  const meanX = mean(x)
  const meanY = mean(y)
  const sxx = sum(x.map((value) => (value - meanX) ** 2))
  const slope = sum(x.map((value, i) => (value - meanX) * ((y[i] ?? 0) - meanY))) / sxx
  const residual = sum(x.map((value, i) => ((y[i] ?? 0) - meanY - slope * (value - meanX)) ** 2))
  const margin = studentT95(n - 2) * Math.sqrt(residual / (n - 2) / sxx)
  const expected = meanY + slope * (Math.log2(Math.max(rows, 1)) - meanX)
  return {
    kind: 'own_runs',
    runs: n,
    expected_k: round(Math.min(1, Math.max(0, expected))),
    gain_per_doubling: round(slope),
    gain_low: round(slope - margin),
    gain_high: round(slope + margin),
  }
}

/** Two-sided 95 % quantile of Student's t, by the expansion of Abramowitz and Stegun 26.7.5 (error below 0.01 from 3 degrees on). */
function studentT95(degrees: number): number {
  const z = 1.959964
  const g1 = (z ** 3 + z) / 4
  const g2 = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96
  const g3 = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384
  return z + g1 / degrees + g2 / degrees ** 2 + g3 / degrees ** 3
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
