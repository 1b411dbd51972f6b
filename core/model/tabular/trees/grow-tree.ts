import { MISSING, type BinnedRows } from './bins.ts'
import {
  fillHistogram,
  findSplit,
  subtractHistogram,
  type Histogram,
  type HistogramLayout,
  type NodeSums,
  type Slopes,
  type Split,
  type SplitRules,
} from './histograms.ts'

/** A grown tree. A child is the number of a node, or of a leaf as `-1 - leaf`; the root is node 0. */
export interface GrownTree {
  readonly features: number[]
  /** Bin of the last value that goes left. */
  readonly bins: number[]
  readonly missingLeft: boolean[]
  readonly left: number[]
  readonly right: number[]
  readonly leaves: number[]
}

/** Bounds of a tree. */
export interface TreeRules extends SplitRules {
  readonly maxLeaves: number
  readonly maxDepth: number
  /** Factor for the step of each leaf. */
  readonly rate: number
}

/** A tree that is being grown: its rows, sums, and the split that would pay most. */
interface OpenLeaf {
  readonly rows: Uint32Array
  readonly sums: NodeSums
  readonly depth: number
  readonly histogram: Histogram
  readonly split: Split | undefined
  /** Node and side that lead here. */
  readonly parent: number
  readonly isLeft: boolean
}

/** Arrays of the right length, used again by the next node. */
export class HistogramPool {
  readonly #length: number
  readonly #free: Histogram[] = []

  constructor(length: number) {
    this.#length = length
  }

  take(): Histogram {
    return this.#free.pop() ?? new Float64Array(this.#length)
  }

  give(histogram: Histogram): void {
    this.#free.push(histogram)
  }
}

/** Everything that the trees of one fit share. */
export interface Ground {
  readonly binned: BinnedRows
  readonly layout: HistogramLayout
  readonly pool: HistogramPool
}

/**
 * Grows a tree leaf by leaf: the split with the largest gain comes next. Returns undefined when no split of the rows
 * pays. Adds the steps of the leaves to `scores` at `row * stride + offset`.
 */
export function growTree(
  ground: Ground,
  features: Uint32Array,
  rows: Uint32Array,
  slopes: Slopes,
  rules: TreeRules,
): GrownTree | undefined {
  const { binned, layout, pool } = ground
  const tree: GrownTree = { features: [], bins: [], missingLeft: [], left: [], right: [], leaves: [] }
  const open = (leaf: Omit<OpenLeaf, 'split'>): OpenLeaf => {
    const mayGrow = leaf.depth < rules.maxDepth && leaf.sums.count >= 2 * rules.leastRows
    return { ...leaf, split: mayGrow ? findSplit(leaf.histogram, layout, features, leaf.sums, rules) : undefined }
  }
  const histogram = pool.take()
  fillHistogram(binned, layout, features, rows, slopes, histogram)
  const leaves = [open({ rows, sums: sumRows(rows, slopes), depth: 0, histogram, parent: -1, isLeft: true })]
  while (leaves.length < rules.maxLeaves) {
    const place = largestGain(leaves)
    const leaf = leaves[place]
    if (leaf?.split === undefined) break
    const { split } = leaf
    const node = tree.features.length
    tree.features.push(split.feature)
    tree.bins.push(split.bin)
    tree.missingLeft.push(split.missingLeft)
    tree.left.push(0)
    tree.right.push(0)
    attach(tree, leaf, node)
    const [left, right] = divide(binned, leaf.rows, split)
    const smaller = pool.take()
    fillHistogram(binned, layout, features, left.length <= right.length ? left : right, slopes, smaller)
    subtractHistogram(leaf.histogram, smaller)
    const [ofLeft, ofRight] = left.length <= right.length ? [smaller, leaf.histogram] : [leaf.histogram, smaller]
    const depth = leaf.depth + 1
    leaves[place] = open({ rows: left, sums: split.left, depth, histogram: ofLeft, parent: node, isLeft: true })
    leaves.push(open({ rows: right, sums: split.right, depth, histogram: ofRight, parent: node, isLeft: false }))
  }
  for (const leaf of leaves) {
    pool.give(leaf.histogram)
    attach(tree, leaf, -1 - tree.leaves.length)
    tree.leaves.push((-leaf.sums.slope / (leaf.sums.curvature + rules.l2)) * rules.rate)
  }
  return tree.features.length === 0 ? undefined : tree
}

function attach(tree: GrownTree, { parent, isLeft }: OpenLeaf, child: number): void {
  if (parent < 0) return
  if (isLeft) tree.left[parent] = child
  else tree.right[parent] = child
}

function sumRows(rows: Uint32Array, { slopes, curvatures }: Slopes): NodeSums {
  let slope = 0
  let curvature = 0
  for (const row of rows) {
    slope += slopes[row] ?? 0
    curvature += curvatures[row] ?? 0
  }
  return { slope, curvature, count: rows.length }
}

function largestGain(leaves: readonly OpenLeaf[]): number {
  let best = -1
  let gain = 0
  for (const [i, leaf] of leaves.entries()) {
    if (leaf.split === undefined || leaf.split.gain <= gain) continue
    gain = leaf.split.gain
    best = i
  }
  return best
}

function divide(
  { rows: count, bins }: BinnedRows,
  rows: Uint32Array,
  split: Split,
): readonly [Uint32Array, Uint32Array] {
  const left = new Uint32Array(rows.length)
  const right = new Uint32Array(rows.length)
  let lefts = 0
  let rights = 0
  const column = split.feature * count
  for (const row of rows) {
    const bin = bins[column + row] ?? 0
    if (bin === MISSING ? split.missingLeft : bin <= split.bin) left[lefts++] = row
    else right[rights++] = row
  }
  return [left.slice(0, lefts), right.slice(0, rights)]
}

/** Adds the leaf of each given row to its score. */
export function addTree(
  tree: GrownTree,
  { rows: count, bins }: BinnedRows,
  rows: Uint32Array,
  scores: Float64Array,
  stride: number,
  offset: number,
): void {
  for (const row of rows) {
    let node = 0
    while (node >= 0) {
      const bin = bins[(tree.features[node] ?? 0) * count + row] ?? 0
      const isLeft = bin === MISSING ? tree.missingLeft[node] : bin <= (tree.bins[node] ?? 0)
      node = (isLeft === true ? tree.left[node] : tree.right[node]) ?? -1
    }
    const at = row * stride + offset
    scores[at] = (scores[at] ?? 0) + (tree.leaves[-1 - node] ?? 0)
  }
}
