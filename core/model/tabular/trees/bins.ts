/** Thresholds of a feature at most: its values then fall into 255 bins, and the last number is left for missing ones. */
const MAX_THRESHOLDS = 254
const LEAST_THRESHOLDS = 32
/** Rows for each threshold: finer bins of few rows cost time and gain nothing. */
const ROWS_PER_THRESHOLD = 3
/** The bin of a missing value. */
export const MISSING = 255
/** Rows whose values choose the thresholds. */
const MEASURED_ROWS = 50_000

/** The features of all rows as numbers of bins, one feature after the other. */
export interface BinnedRows {
  readonly rows: number
  readonly bins: Uint8Array
  /** Ascending thresholds of each feature; bin b holds the values above b of them. */
  readonly thresholds: readonly Float64Array[]
}

/** Thresholds of a feature of so many rows at most. */
export function mostThresholds(rows: number): number {
  return Math.min(MAX_THRESHOLDS, Math.max(LEAST_THRESHOLDS, Math.floor(rows / ROWS_PER_THRESHOLD)))
}

/** Sorts the values of each feature into at most 255 bins of about equal numbers of rows. */
export function binRows(matrix: Float64Array, features: number): BinnedRows {
  const rows = features === 0 ? 0 : matrix.length / features
  const bins = new Uint8Array(rows * features)
  const thresholds: Float64Array[] = []
  const most = mostThresholds(rows)
  const stride = Math.max(1, Math.ceil(rows / MEASURED_ROWS))
  for (let f = 0; f < features; f++) {
    const measured: number[] = []
    for (let row = 0; row < rows; row += stride) {
      const value = matrix[row * features + f] ?? NaN
      if (!Number.isNaN(value)) measured.push(value)
    }
    const own = chooseThresholds(Float64Array.from(measured).sort(), most)
    thresholds.push(own)
    for (let row = 0; row < rows; row++) bins[f * rows + row] = binOf(own, matrix[row * features + f] ?? NaN)
  }
  return { rows, bins, thresholds }
}

function binOf(thresholds: Float64Array, value: number): number {
  if (Number.isNaN(value)) return MISSING
  let low = 0
  let high = thresholds.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (value <= (thresholds[middle] ?? 0)) high = middle
    else low = middle + 1
  }
  return low
}

/** Midpoints between neighbours among the distinct values, or between quantiles when these are many. */
function chooseThresholds(sorted: Float64Array, most: number): Float64Array {
  const distinct = sorted.filter((value, i) => i === 0 || value !== sorted[i - 1])
  const chosen: number[] = []
  const add = (below: number, above: number): void => {
    const middle = below + (above - below) / 2
    const threshold = middle < above ? middle : below
    if (chosen.length === 0 || threshold > (chosen.at(-1) ?? 0)) chosen.push(threshold)
  }
  if (distinct.length <= most + 1) {
    for (let i = 1; i < distinct.length; i++) add(distinct[i - 1] ?? 0, distinct[i] ?? 0)
    return Float64Array.from(chosen)
  }
  for (let cut = 1; cut <= most; cut++) {
    const place = Math.floor((cut * sorted.length) / (most + 1))
    const below = sorted[place - 1] ?? 0
    const above = sorted[place] ?? 0
    if (above > below) add(below, above)
    // A value that fills a whole bin is cut off at its own end.
    else if (below < (sorted.at(-1) ?? 0)) add(below, below)
  }
  return Float64Array.from(chosen)
}
