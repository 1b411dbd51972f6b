import type { LinearWeights, Scaling } from '../linear/fit-linear.ts'
import { FLAG, type TabularArrays } from '../recipe/arrays.ts'
import type { BoostedTrees } from '../trees/boost.ts'
import type { BinnedRows } from '../trees/bins.ts'
import type { GrownTree } from '../trees/grow-tree.ts'

/** A linear model with the scaling of its inputs. */
export interface FittedLinear {
  readonly scaling: Scaling
  readonly weights: LinearWeights
}

/** Boosted trees with the bins that they split. */
export interface FittedTrees {
  readonly binned: BinnedRows
  readonly boosted: BoostedTrees
}

/** Learners and how they are put together: `score = factor * (share * linear + (1 - share) * trees) + offset`. */
export interface Parts {
  readonly features: number
  readonly scores: number
  readonly linear: FittedLinear | null
  readonly trees: FittedTrees | null
  readonly share: number
  readonly factor: number
  readonly offset: number
}

/** Folds share, temperature and scaling into one set of numbers, so that a reader only adds. */
export function assemble({ features, scores, linear, trees, share, factor, offset }: Parts): TabularArrays {
  const ofLinear = share * factor
  const ofTrees = (1 - share) * factor
  const bias = new Float64Array(scores).fill(offset)
  const add = (from: ArrayLike<number>, start: number, weight: number): void => {
    for (let k = 0; k < scores; k++) bias[k] = (bias[k] ?? 0) + weight * (from[start + k] ?? 0)
  }
  if (linear !== null) add(linear.weights, features * scores, ofLinear)
  if (trees !== null) add(trees.boosted.base, 0, ofTrees)
  const weights = new Float64Array(linear === null ? 0 : features * scores)
  for (let i = 0; i < weights.length; i++)
    weights[i] = (ofLinear * (linear?.weights[i] ?? 0)) / (linear?.scaling.spread[Math.floor(i / scores)] ?? 1)
  return {
    features,
    scores,
    centers: linear === null ? new Float64Array() : linear.scaling.center.map((center) => center + 0),
    weights,
    bias,
    ...layTrees(trees, ofTrees),
  }
}

type TreeArrays = Omit<TabularArrays, 'features' | 'scores' | 'centers' | 'weights' | 'bias'>

function layTrees(fitted: FittedTrees | null, factor: number): TreeArrays {
  const trees = fitted?.boosted.trees ?? []
  const nodes = trees.reduce((sum, { tree }) => sum + tree.features.length, 0)
  const arrays = {
    thresholds: new Float64Array(nodes),
    leaves: new Float64Array(nodes + trees.length),
    treeScores: Uint32Array.from(trees, ({ score }) => score),
    roots: new Uint32Array(trees.length),
    nodeFeatures: new Uint32Array(nodes),
    left: new Uint32Array(nodes),
    right: new Uint32Array(nodes),
  }
  let node = 0
  let leaf = 0
  for (const [i, { tree }] of trees.entries()) {
    arrays.roots[i] = node
    for (const [j, value] of tree.leaves.entries()) arrays.leaves[leaf + j] = value * factor
    for (let j = 0; j < tree.features.length; j++) {
      const feature = tree.features[j] ?? 0
      arrays.nodeFeatures[node + j] = (tree.missingLeft[j] === true ? FLAG : 0) + feature
      arrays.thresholds[node + j] = thresholdOf(fitted, tree, j)
      arrays.left[node + j] = placeOf(tree.left[j] ?? 0, node, leaf)
      arrays.right[node + j] = placeOf(tree.right[j] ?? 0, node, leaf)
    }
    node += tree.features.length
    leaf += tree.leaves.length
  }
  return arrays
}

function placeOf(child: number, node: number, leaf: number): number {
  return child >= 0 ? node + child : FLAG + leaf + (-1 - child)
}

/** A split behind the last bin sends every value left and only missing ones right. */
function thresholdOf(fitted: FittedTrees | null, tree: GrownTree, node: number): number {
  const thresholds = fitted?.binned.thresholds[tree.features[node] ?? 0]
  return thresholds?.[tree.bins[node] ?? 0] ?? Number.MAX_VALUE
}
