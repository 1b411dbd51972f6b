import { MISSING, type BinnedRows } from './bins.ts'

/** Sums of a node's rows by feature and bin: slope, curvature and count of each, interleaved. */
export type Histogram = Float64Array

/** Where the bins of each feature lie in a histogram; the last bin of a feature is that of missing values. */
export interface HistogramLayout {
  readonly starts: Uint32Array
  readonly counts: Uint32Array
  readonly length: number
}

/** Slopes and curvatures of the loss of each row. */
export interface Slopes {
  readonly slopes: Float64Array
  readonly curvatures: Float64Array
}

/** Places the bins of all features one after the other. */
export function layOutHistogram({ thresholds }: BinnedRows): HistogramLayout {
  const counts = Uint32Array.from(thresholds, (own) => own.length + 2)
  const starts = new Uint32Array(counts.length)
  let length = 0
  for (const [f, count] of counts.entries()) {
    starts[f] = length
    length += count * 3
  }
  return { starts, counts, length }
}

/** Sums the rows of a node, in their order, for the features that the tree may use. */
export function fillHistogram(
  { rows: rowCount, bins }: BinnedRows,
  { starts, counts }: HistogramLayout,
  features: Uint32Array,
  rows: Uint32Array,
  { slopes, curvatures }: Slopes,
  out: Histogram,
): void {
  const count = rows.length
  // Read side by side, in the order of the node's rows, the two are read from memory once for all features.
  const pairs = new Float64Array(count * 2)
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    pairs[2 * i] = slopes[row] ?? 0
    pairs[2 * i + 1] = curvatures[row] ?? 0
  }
  for (const f of features) {
    const start = starts[f] ?? 0
    const column = f * rowCount
    const last = (counts[f] ?? 0) - 1
    out.fill(0, start, start + (last + 1) * 3)
    for (let i = 0; i < count; i++) {
      const bin = bins[column + (rows[i] ?? 0)] ?? 0
      const at = start + (bin === MISSING ? last : bin) * 3
      out[at] = (out[at] ?? 0) + (pairs[2 * i] ?? 0)
      out[at + 1] = (out[at + 1] ?? 0) + (pairs[2 * i + 1] ?? 0)
      out[at + 2] = (out[at + 2] ?? 0) + 1
    }
  }
}

/** Turns the histogram of a parent into that of its larger child by taking off the smaller one. */
export function subtractHistogram(parent: Histogram, child: Histogram): void {
  for (let i = 0; i < parent.length; i++) parent[i] = (parent[i] ?? 0) - (child[i] ?? 0)
}

/** Sums over the rows of a node. */
export interface NodeSums {
  readonly slope: number
  readonly curvature: number
  readonly count: number
}

/** A division of a node's rows. Rows up to bin `bin` of the feature go left. */
export interface Split {
  readonly feature: number
  readonly bin: number
  readonly missingLeft: boolean
  readonly gain: number
  readonly left: NodeSums
  readonly right: NodeSums
}

/** Minimum contents of both sides of a split, and the penalties. */
export interface SplitRules {
  readonly leastRows: number
  readonly leastCurvature: number
  readonly l2: number
}

/** Returns the split with the largest gain, the first of equals; undefined when none has a gain. */
export function findSplit(
  histogram: Histogram,
  { starts, counts }: HistogramLayout,
  features: Uint32Array,
  sums: NodeSums,
  rules: SplitRules,
): Split | undefined {
  const { leastRows, leastCurvature, l2 } = rules
  const whole = (sums.slope * sums.slope) / (sums.curvature + l2)
  // Less than this is the rounding of the sums.
  let bestGain = 1e-9 * (1 + Math.abs(whole))
  let best: { feature: number; bin: number; missingLeft: boolean; left: NodeSums } | undefined
  for (const feature of features) {
    const start = starts[feature] ?? 0
    const last = (counts[feature] ?? 0) - 1
    const missing = start + last * 3
    const absent = histogram[missing + 2] ?? 0
    for (let side = 0; side < (absent > 0.5 ? 2 : 1); side++) {
      const missingLeft = side === 1
      let slope = missingLeft ? (histogram[missing] ?? 0) : 0
      let curvature = missingLeft ? (histogram[missing + 1] ?? 0) : 0
      let count = missingLeft ? absent : 0
      // After the last bin only missing values are left for the right side.
      const end = absent > 0.5 && !missingLeft ? last : last - 1
      for (let bin = 0; bin < end; bin++) {
        const at = start + bin * 3
        slope += histogram[at] ?? 0
        curvature += histogram[at + 1] ?? 0
        count += histogram[at + 2] ?? 0
        if (count < leastRows || curvature < leastCurvature) continue
        const restCurvature = sums.curvature - curvature
        if (sums.count - count < leastRows || restCurvature < leastCurvature) break
        const rest = sums.slope - slope
        const gain = (slope * slope) / (curvature + l2) + (rest * rest) / (restCurvature + l2) - whole
        if (gain <= bestGain) continue
        bestGain = gain
        const isLarger = absent > 0.5 ? missingLeft : count * 2 >= sums.count
        best = { feature, bin, missingLeft: isLarger, left: { slope, curvature, count } }
      }
    }
  }
  if (best === undefined) return undefined
  const { left } = best
  const right = {
    slope: sums.slope - left.slope,
    curvature: sums.curvature - left.curvature,
    count: sums.count - left.count,
  }
  return { ...best, gain: bestGain, right }
}
