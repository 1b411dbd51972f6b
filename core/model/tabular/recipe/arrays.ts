import type { DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import { MODEL_BOUNDS } from './tabular-recipe.ts'

const MAGIC = new TextEncoder().encode('SVCTAB1\n')
const HEADER_BYTES = 32
/** In a child: it is a leaf. In the feature of a node: a missing value goes left. */
export const FLAG = 0x80000000

/** The numbers of a tabular model (docs/formats/tabular-format.md). */
export interface TabularArrays {
  readonly features: number
  readonly scores: number
  /** Empty for a model without a linear part, like `weights`. */
  readonly centers: Float64Array
  /** The weights of a feature for all scores, feature after feature. */
  readonly weights: Float64Array
  readonly bias: Float64Array
  /** A value up to the threshold of a node goes left. */
  readonly thresholds: Float64Array
  readonly leaves: Float64Array
  /** Score that each tree adds to, and its first node; its nodes end where those of the next tree begin. */
  readonly treeScores: Uint32Array
  readonly roots: Uint32Array
  readonly nodeFeatures: Uint32Array
  readonly left: Uint32Array
  readonly right: Uint32Array
}

/** The binary form: magic, counts, float64 arrays, uint32 arrays; little-endian. */
export function encodeArrays(arrays: TabularArrays): Uint8Array {
  const { features, scores, weights, treeScores, thresholds, leaves } = arrays
  const doubles = [arrays.centers, weights, arrays.bias, thresholds, leaves]
  const words = [treeScores, arrays.roots, arrays.nodeFeatures, arrays.left, arrays.right]
  const size = (lists: readonly { readonly length: number }[]): number =>
    lists.reduce((sum, { length }) => sum + length, 0)
  const out = new Uint8Array(HEADER_BYTES + size(doubles) * 8 + size(words) * 4)
  const view = new DataView(out.buffer)
  out.set(MAGIC)
  const counts = [features, scores, weights.length, treeScores.length, thresholds.length, leaves.length]
  let at = MAGIC.length
  for (const count of counts) at = (view.setUint32(at, count, true), at + 4)
  // Zero has one form, so that equal models have equal bytes.
  for (const list of doubles) for (const value of list) at = (view.setFloat64(at, value + 0, true), at + 8)
  for (const list of words) for (const value of list) at = (view.setUint32(at, value, true), at + 4)
  return out
}

function refuse(reason: string): DomainError {
  return MODEL_ERRORS.recipe_failed(`tabular weights: ${reason}`)
}

/** Reads the binary form. Throws `recipe_failed` when it is not well formed or exceeds the bounds of a model. */
export function decodeArrays(data: Uint8Array): TabularArrays {
  if (data.length < HEADER_BYTES || MAGIC.some((byte, i) => data[i] !== byte)) throw refuse('wrong magic')
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const count = (place: number): number => view.getUint32(MAGIC.length + place * 4, true)
  const [features, scores, weights, trees, nodes, leaves] = [count(0), count(1), count(2), count(3), count(4), count(5)]
  if (features > MODEL_BOUNDS.features) throw refuse(`${features} features, ${MODEL_BOUNDS.features} are allowed`)
  if (scores < 1 || scores > MODEL_BOUNDS.labels)
    throw refuse(`${scores} scores, 1 to ${MODEL_BOUNDS.labels} are allowed`)
  if (trees > MODEL_BOUNDS.trees) throw refuse(`${trees} trees, ${MODEL_BOUNDS.trees} are allowed`)
  if (nodes > MODEL_BOUNDS.nodes) throw refuse(`${nodes} nodes, ${MODEL_BOUNDS.nodes} are allowed`)
  if (leaves !== nodes + trees)
    throw refuse(`${nodes} nodes in ${trees} trees have ${nodes + trees} leaves, not ${leaves}`)
  if (weights !== 0 && weights !== features * scores) throw refuse('weights do not fit features and scores')
  const centers = weights === 0 ? 0 : features
  const size = HEADER_BYTES + (centers + weights + scores + nodes + leaves) * 8 + (2 * trees + 3 * nodes) * 4
  if (data.length !== size) throw refuse(`${data.length} bytes, the counts need ${size}`)
  let at = HEADER_BYTES
  const doubles = (length: number, name: string): Float64Array => {
    const list = new Float64Array(length)
    for (let i = 0; i < length; i++, at += 8) {
      const value = view.getFloat64(at, true)
      if (!Number.isFinite(value)) throw refuse(`${name} ${i + 1} is not finite`)
      if (Object.is(value, -0)) throw refuse(`${name} ${i + 1} is -0`)
      list[i] = value
    }
    return list
  }
  const words = (length: number): Uint32Array => {
    const list = new Uint32Array(length)
    for (let i = 0; i < length; i++, at += 4) list[i] = view.getUint32(at, true)
    return list
  }
  const arrays = {
    features,
    scores,
    centers: doubles(centers, 'center'),
    weights: doubles(weights, 'weight'),
    bias: doubles(scores, 'bias'),
    thresholds: doubles(nodes, 'threshold'),
    leaves: doubles(leaves, 'leaf'),
    treeScores: words(trees),
    roots: words(trees),
    nodeFeatures: words(nodes),
    left: words(nodes),
    right: words(nodes),
  }
  checkTrees(arrays)
  return arrays
}

/**
 * Checks that every tree is one: a child lies behind its parent, in the same tree, and has one parent. So a walk ends
 * within the depth, and leaves belong to one tree.
 */
function checkTrees({ features, scores, treeScores, roots, nodeFeatures, left, right }: TabularArrays): void {
  const nodes = left.length
  if (roots.length === 0 ? nodes > 0 : roots[0] !== 0) throw refuse('nodes outside of trees')
  const depth = new Uint8Array(nodes)
  let leaf = 0
  for (const [tree, root] of roots.entries()) {
    const end = roots[tree + 1] ?? nodes
    const name = `tree ${tree + 1}`
    if (root >= end || end > nodes) throw refuse(`${name} has no nodes`)
    if ((treeScores[tree] ?? 0) >= scores) throw refuse(`${name} adds to a score that does not exist`)
    const lastLeaf = leaf + (end - root)
    const isTaken = new Uint8Array(end - root + 1)
    depth[root] = 1
    for (let node = root; node < end; node++) {
      if (node > root && depth[node] === 0) throw refuse(`node ${node + 1} of ${name} has no parent`)
      if (((nodeFeatures[node] ?? 0) & ~FLAG) >>> 0 >= features)
        throw refuse(`node ${node + 1} of ${name} reads a feature that does not exist`)
      for (const child of [left[node] ?? 0, right[node] ?? 0]) {
        const place = (child & ~FLAG) >>> 0
        if (child >= FLAG) {
          if (place < leaf || place > lastLeaf) throw refuse(`node ${node + 1} of ${name} has a leaf out of range`)
          if (isTaken[place - leaf] === 1) throw refuse(`leaf ${place + 1} of ${name} has two parents`)
          isTaken[place - leaf] = 1
          continue
        }
        if (place >= end) throw refuse(`node ${node + 1} of ${name} has a child out of range`)
        if (place <= node) throw refuse(`node ${node + 1} of ${name} has a child that is not behind it: a cycle`)
        if (depth[place] !== 0) throw refuse(`node ${place + 1} of ${name} has two parents`)
        depth[place] = (depth[node] ?? 0) + 1
        if ((depth[place] ?? 0) > MODEL_BOUNDS.depth) throw refuse(`${name} is deeper than ${MODEL_BOUNDS.depth} nodes`)
      }
    }
    leaf = lastLeaf + 1
  }
}
