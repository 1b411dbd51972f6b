import { FLAG, type TabularArrays } from './arrays.ts'

/** Writes the scores of the features at `at`: bias, linear part, and one leaf of each tree. */
export function scoreFeatures(arrays: TabularArrays, features: Float64Array, at: number, out: Float64Array): void {
  const { scores, centers, weights } = arrays
  out.set(arrays.bias)
  for (let f = 0, w = 0; f < centers.length; f++, w += scores) {
    const value = (features[at + f] ?? NaN) - (centers[f] ?? 0)
    if (Number.isNaN(value)) continue
    for (let k = 0; k < scores; k++) out[k] = (out[k] ?? 0) + value * (weights[w + k] ?? 0)
  }
  const { treeScores, roots, nodeFeatures, thresholds, left, right, leaves } = arrays
  for (let tree = 0; tree < roots.length; tree++) {
    let next = roots[tree] ?? 0
    while (next < FLAG) {
      const feature = nodeFeatures[next] ?? 0
      const value = features[at + (feature & 0x7fffffff)] ?? NaN
      const isLeft = Number.isNaN(value) ? feature >= FLAG : value <= (thresholds[next] ?? 0)
      next = (isLeft ? left[next] : right[next]) ?? FLAG
    }
    const score = treeScores[tree] ?? 0
    out[score] = (out[score] ?? 0) + (leaves[next - FLAG] ?? 0)
  }
}
