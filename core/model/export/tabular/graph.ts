import { GraphBuilder } from '../../graph/builder.ts'
import type { Shape, Value } from '../../graph/value.ts'
import { FLAG, type TabularArrays } from '../../tabular/recipe/arrays.ts'
import type { Target } from '../../tabular/recipe/tabular-recipe.ts'
import { BATCH, castTo, node } from '../onnx/nodes.ts'

/** `BRANCH_LEQ` of the operator `TreeEnsemble`: a value up to the threshold takes the true branch. */
const LESS_OR_EQUAL = 0

/**
 * A tabular model as an ONNX graph from its features on (docs/formats/tabular-format.md, sections 3 and 5): `features` (float64
 * `[batch, features]`, NaN for a missing value) in; `probabilities`, `label`, `confidence` and `answered` of a label,
 * `probabilities`, `included`, `confidence` and `answered` of a list of labels, or `number`, `lower` and `upper` out.
 * All of it computes in float64.
 */
export function tabularGraph(arrays: TabularArrays, target: Target): Uint8Array {
  const g = new GraphBuilder('tabular')
  const features = g.input('features', 'float64', [BATCH, arrays.features])
  const scores = addScores(g, arrays, features)
  if (target.kind === 'number') outputNumber(g, target, scores)
  else if (target.kind === 'label') outputLabel(g, target, scores)
  else outputLabels(g, target, scores)
  return g.toBytes()
}

function double(g: GraphBuilder, type: string, inputs: readonly Value[], shape: Shape): Value {
  return node(g, type, inputs, { dtype: 'float64', shape })
}

function addScores(g: GraphBuilder, arrays: TabularArrays, features: Value): Value {
  const { scores, bias, centers, weights, roots } = arrays
  const shape = [BATCH, scores]
  let sum = g.weight('bias', 'float64', [1, scores], bias)
  if (weights.length > 0) {
    const wide = [BATCH, arrays.features]
    const center = g.weight('centers', 'float64', [1, arrays.features], centers)
    const isMissing = node(g, 'IsNaN', [features], { dtype: 'bool', shape: wide })
    const known = double(g, 'Where', [isMissing, g.double(0), double(g, 'Sub', [features, center], wide)], wide)
    const table = g.weight('weights', 'float64', [arrays.features, scores], weights)
    sum = double(g, 'Add', [double(g, 'MatMul', [known, table], shape), sum], shape)
  }
  return roots.length === 0 ? sum : double(g, 'Add', [addTrees(g, arrays, features), sum], shape)
}

function addTrees(g: GraphBuilder, arrays: TabularArrays, features: Value): Value {
  const { roots, treeScores, nodeFeatures, left, right, thresholds, leaves, scores } = arrays
  const places = (children: Uint32Array): number[] => Array.from(children, (child) => (child & ~FLAG) >>> 0)
  const isLeaf = (children: Uint32Array): number[] => Array.from(children, (child) => Number(child >= FLAG))
  const leafScores = [...roots].flatMap((root, tree) =>
    Array.from({ length: (roots[tree + 1] ?? left.length) - root + 1 }, () => treeScores[tree] ?? 0),
  )
  const attributes = {
    aggregate_function: { int: 1 },
    n_targets: { int: scores },
    post_transform: { int: 0 },
    tree_roots: { ints: [...roots] },
    nodes_featureids: { ints: places(nodeFeatures) },
    nodes_missing_value_tracks_true: { ints: isLeaf(nodeFeatures) },
    nodes_modes: {
      tensor: { dtype: 'uint8', length: left.length, data: new Uint8Array(left.length).fill(LESS_OR_EQUAL) },
    },
    nodes_splits: { tensor: { dtype: 'float64', length: left.length, data: thresholds } },
    nodes_truenodeids: { ints: places(left) },
    nodes_trueleafs: { ints: isLeaf(left) },
    nodes_falsenodeids: { ints: places(right) },
    nodes_falseleafs: { ints: isLeaf(right) },
    leaf_targetids: { ints: leafScores },
    leaf_weights: { tensor: { dtype: 'float64', length: leaves.length, data: leaves } },
  } as const
  return g.single({ type: 'TreeEnsemble', inputs: [features], attributes, ml: true }, 'float64', [BATCH, scores])
}

function outputNumber(
  g: GraphBuilder,
  { decimals, interval }: Extract<Target, { kind: 'number' }>,
  score: Value,
): void {
  const shape = [BATCH, 1]
  let number = score
  if (decimals !== null) {
    const factor = g.double(Number(`1e${decimals}`))
    const lifted = double(g, 'Add', [double(g, 'Mul', [score, factor], shape), g.double(0.5)], shape)
    number = double(g, 'Div', [double(g, 'Floor', [lifted], shape), factor], shape)
  }
  g.output('number', number)
  if (interval === null) return
  const half = g.double(interval.half_width)
  g.output('lower', double(g, 'Sub', [number, half], shape))
  g.output('upper', double(g, 'Add', [number, half], shape))
}

function outputLabel(g: GraphBuilder, { labels, threshold }: Extract<Target, { kind: 'label' }>, scores: Value): void {
  const shape = [BATCH, labels.length]
  const probabilities = labels.length === 2 ? bothProbabilities(g, scores) : softmax(g, scores, shape)
  const largest = { dtype: 'float64', shape: [BATCH] } as const
  const confidence = node(g, 'ReduceMax', [probabilities, g.integers([1])], largest, { keepdims: { int: 0 } })
  const place = { axis: { int: 1 }, keepdims: { int: 0 } }
  g.output('probabilities', probabilities)
  g.output('label', node(g, 'ArgMax', [probabilities], { dtype: 'int64', shape: [BATCH] }, place))
  outputConfidence(g, confidence, threshold)
}

function softmax(g: GraphBuilder, scores: Value, shape: Shape): Value {
  return node(g, 'Softmax', [scores], { dtype: 'float64', shape }, { axis: { int: 1 } })
}

function bothProbabilities(g: GraphBuilder, score: Value): Value {
  const second = double(g, 'Sigmoid', [score], [BATCH, 1])
  const first = double(g, 'Sub', [g.double(1), second], [BATCH, 1])
  return node(g, 'Concat', [first, second], { dtype: 'float64', shape: [BATCH, 2] }, { axis: { int: 1 } })
}

function outputLabels(g: GraphBuilder, target: Extract<Target, { kind: 'labels' }>, scores: Value): void {
  const shape = [BATCH, target.labels.length]
  const probabilities = double(g, 'Sigmoid', [scores], shape)
  const thresholds = g.weight('thresholds', 'float64', [1, target.labels.length], Float64Array.from(target.thresholds))
  const isIn = node(g, 'GreaterOrEqual', [probabilities, thresholds], { dtype: 'bool', shape })
  const others = double(g, 'Sub', [g.double(1), probabilities], shape)
  const sure = double(g, 'Where', [isIn, probabilities, others], shape)
  g.output('probabilities', probabilities)
  g.output('included', isIn)
  // ONNX Runtime multiplies along an axis in float32 only.
  const factors = castTo(g, sure, 'float32')
  const product = node(g, 'ReduceProd', [factors, g.integers([1])], { shape: [BATCH] }, { keepdims: { int: 0 } })
  outputConfidence(g, castTo(g, product, 'float64'), target.threshold)
}

function outputConfidence(g: GraphBuilder, confidence: Value, threshold: number): void {
  g.output('confidence', confidence)
  const shape = confidence.shape
  g.output('answered', node(g, 'GreaterOrEqual', [confidence, g.double(threshold)], { dtype: 'bool', shape }))
}
