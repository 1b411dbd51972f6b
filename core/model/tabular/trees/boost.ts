import { createRandom, shuffle } from '../../random.ts'
import { baseScores, pickTruth, toSlopes, type Truth } from '../fit/losses.ts'
import type { BinnedRows } from './bins.ts'
import { addTree, growTree, HistogramPool, type GrownTree, type TreeRules } from './grow-tree.ts'
import { layOutHistogram } from './histograms.ts'

/** Settings of boosted trees. */
export interface BoostSettings extends TreeRules {
  readonly rounds: number
  /** Share of the features that each tree may split by, and of the rows that it learns from. */
  readonly featureShare: number
  readonly rowShare: number
  readonly seed: number
}

/** Boosted trees: the scores that they start from and the trees of each score. */
export interface BoostedTrees {
  readonly base: Float64Array
  readonly trees: readonly { readonly score: number; readonly tree: GrownTree }[]
}

/** Hooks of a boosting run. */
export interface BoostHooks {
  readonly checkpoint: () => void
  /**
   * Called after each round with the scores of all rows, `scores` numbers a row, those outside the fit included;
   * false ends the run.
   */
  readonly afterRound?: (round: number, scores: Float64Array) => boolean
}

/**
 * Fits gradient boosted trees on histograms (LightGBM: Ke et al., NIPS 2017), with steps of second order.
 * @param rows the rows to learn from, ascending; scores are kept for all rows
 */
export function boostTrees(
  binned: BinnedRows,
  truth: Truth,
  rows: Uint32Array,
  settings: BoostSettings,
  hooks: BoostHooks,
): BoostedTrees {
  const { scores: width } = truth
  const features = binned.thresholds.length
  const all = Uint32Array.from({ length: binned.rows }, (_, row) => row)
  const base = baseScores(pickTruth(truth, rows))
  const scores = new Float64Array(binned.rows * width)
  for (const row of all) scores.set(base, row * width)
  const layout = layOutHistogram(binned)
  const ground = { binned, layout, pool: new HistogramPool(layout.length) }
  const random = createRandom(settings.seed, 'tabular-trees')
  const trees: { score: number; tree: GrownTree }[] = []
  const slopes = Array.from({ length: width }, () => new Float64Array(binned.rows))
  const curvatures = Array.from({ length: width }, () => new Float64Array(binned.rows))
  const own = new Float64Array(width)
  for (let round = 0; round < settings.rounds; round++) {
    for (const row of rows) {
      for (let k = 0; k < width; k++) own[k] = scores[row * width + k] ?? 0
      toSlopes(truth, row, own, 0)
      for (let k = 0; k < width; k++) {
        const slope = own[k] ?? 0
        const slopesOfScore = slopes[k]
        const curvaturesOfScore = curvatures[k]
        if (slopesOfScore === undefined || curvaturesOfScore === undefined) continue
        slopesOfScore[row] = slope
        curvaturesOfScore[row] = curvatureOf(truth, row, k, slope)
      }
    }
    const chosenRows = sample(rows, settings.rowShare, random)
    let hasGrown = false
    for (let k = 0; k < width; k++) {
      hooks.checkpoint()
      const chosen = sample(
        Uint32Array.from({ length: features }, (_, f) => f),
        settings.featureShare,
        random,
      )
      const pair = { slopes: slopes[k] ?? new Float64Array(), curvatures: curvatures[k] ?? new Float64Array() }
      const tree = growTree(ground, chosen, chosenRows, pair, settings)
      if (tree === undefined) continue
      hasGrown = true
      trees.push({ score: k, tree })
      addTree(tree, binned, all, scores, width, k)
    }
    if (hooks.afterRound?.(round, scores) === false) break
    // With all rows and features the next round would find no split either.
    if (!hasGrown && settings.rowShare === 1 && settings.featureShare === 1) break
  }
  return { base, trees }
}

/** The second derivative of the loss: p (1 - p) of a probability, 1 of a number. */
function curvatureOf({ link, scores, values }: Truth, row: number, k: number, slope: number): number {
  if (link === 'identity') return 1
  const value = link === 'softmax' ? Number(values[row] === k) : (values[row * scores + k] ?? 0)
  const probability = slope + value
  return Math.max(1e-16, probability * (1 - probability))
}

function sample(from: Uint32Array, share: number, random: ReturnType<typeof createRandom>): Uint32Array {
  const count = Math.max(1, Math.round(from.length * share))
  if (count >= from.length) return from
  const shuffled = from.slice()
  shuffle(shuffled, random)
  return shuffled.slice(0, count).sort()
}
