import { BIAS_INPUT } from '../../classifier/logistic-regression.ts'
import type { QuantizedLayer } from '../../classifier/weights.ts'
import { GraphBuilder } from '../../graph/builder.ts'
import type { Value } from '../../graph/value.ts'
import { castTo, node, unsqueeze } from '../onnx/nodes.ts'

/** Larger than every 32-bit hash. */
const NO_HASH = 2 ** 33
const FEATURES = 'features'

/** Inputs of the graph. */
export interface ClassifierGraphInput {
  readonly layer: QuantizedLayer
  readonly temperature: number
  readonly threshold: number
}

/**
 * A classifier as an ONNX graph in standard operators, from the hashed features of one input on (docs/formats/classifier-format.md,
 * sections 3 and 4): `feature_hashes` (int64) and `feature_values` (float32, of length 1 as a vector) in;
 * `probabilities` of the labels, `label` (its place in the list), `confidence` and `answered` out. Hashes that the
 * weights do not have are looked up and left out by the graph itself.
 */
export function classifierGraph({ layer, temperature, threshold }: ClassifierGraphInput): Uint8Array {
  const g = new GraphBuilder('classifier')
  const hashes = g.input('feature_hashes', 'int64', [FEATURES])
  const values = g.input('feature_values', 'float32', [FEATURES])
  const { row, isKnown } = findRows(g, layer.hashes, hashes)

  const { labels } = layer
  const rows = Math.max(layer.hashes.length, 1)
  const weights = new Float32Array(rows * labels)
  for (const [index, byte] of layer.bytes.entries()) weights[index] = byte * (layer.scales[index % labels] ?? 0)
  const table = g.weight('weights', 'float32', [rows, labels], weights)
  const picked = node(g, 'Gather', [table, row], { shape: [FEATURES, labels] })
  const counted = node(g, 'Where', [isKnown, values, g.scalar(0)], { shape: [FEATURES] })
  const sum = node(g, 'MatMul', [unsqueeze(g, counted, [0], [1, FEATURES]), picked], { shape: [1, labels] })
  const bias = g.weight(
    'bias',
    'float32',
    [labels],
    layer.bias.map((value) => value * BIAS_INPUT),
  )
  const scores = node(g, 'Add', [sum, bias], { shape: [1, labels] })
  const cooled = node(g, 'Div', [scores, g.scalar(temperature)], { shape: [1, labels] })
  const probabilities = node(g, 'Softmax', [cooled], { shape: [1, labels] }, { axis: { int: 1 } })

  const confidence = node(g, 'ReduceMax', [probabilities, g.integers([1])], { shape: [1] }, { keepdims: { int: 0 } })
  const label = node(g, 'ArgMax', [probabilities], { dtype: 'int64', shape: [1] }, ONE_AXIS)
  const known = node(
    g,
    'ReduceSum',
    [castTo(g, isKnown, 'float32'), g.integers([0])],
    { shape: [1] },
    { keepdims: { int: 1 } },
  )
  const isSure = node(g, 'GreaterOrEqual', [confidence, g.scalar(threshold)], { dtype: 'bool', shape: [1] })
  const hasFeature = node(g, 'Greater', [known, g.scalar(0)], { dtype: 'bool', shape: [1] })
  g.output('probabilities', node(g, 'Squeeze', [probabilities, g.integers([0])], { shape: [labels] }))
  g.output('label', label)
  g.output('confidence', confidence)
  g.output('answered', node(g, 'And', [hasFeature, isSure], { dtype: 'bool', shape: [1] }))
  return g.toBytes()
}

const ONE_AXIS = { axis: { int: 1 }, keepdims: { int: 0 } } as const

/**
 * Binary search, unrolled: after it `count` is how many of the ascending hashes are not above each asked one, so that
 * the one before is either it or not there.
 */
function findRows(
  g: GraphBuilder,
  known: Uint32Array,
  hashes: Value,
): { readonly row: Value; readonly isKnown: Value } {
  const steps = Math.ceil(Math.log2(known.length + 2))
  const padded = new BigInt64Array(2 ** steps).fill(BigInt(NO_HASH))
  for (const [index, hash] of known.entries()) padded[index] = BigInt(hash)
  const table = g.weight('known_hashes', 'int64', [padded.length], padded)
  const whole = { dtype: 'int64', shape: [FEATURES] } as const
  const at = (index: Value): Value => node(g, 'Gather', [table, index], whole)
  let count = node(g, 'Mul', [hashes, g.integers([0])], whole)
  for (let step = 2 ** (steps - 1); step >= 1; step /= 2) {
    const further = node(g, 'Add', [count, g.integers([step])], whole)
    const reached = at(node(g, 'Sub', [further, g.integers([1])], whole))
    const isBelow = node(g, 'LessOrEqual', [reached, hashes], { dtype: 'bool', shape: [FEATURES] })
    count = node(g, 'Where', [isBelow, further, count], whole)
  }
  const last = node(g, 'Max', [node(g, 'Sub', [count, g.integers([1])], whole), g.integers([0])], whole)
  return { row: last, isKnown: node(g, 'Equal', [at(last), hashes], { dtype: 'bool', shape: [FEATURES] }) }
}
