import type { ModelConfig } from '../../config/model-config.ts'
import {
  EMBEDDING,
  hasExperts,
  OUTPUT_HEAD,
  type Projection,
  projectionName,
  projectionShape,
  weightShapes,
} from '../../config/weight-names.ts'
import type { TensorData } from '../../files/tensors.ts'
import { GraphBuilder } from '../../graph/builder.ts'
import { add } from '../../graph/ops/elementwise.ts'
import { gather } from '../../graph/ops/indexing.ts'
import { matmul } from '../../graph/ops/products.ts'
import { rmsNorm } from '../../graph/ops/transformer.ts'
import type { Value } from '../../graph/value.ts'
import { decoderLayer } from '../decoder-layer.ts'
import { ropeTables } from '../rope.ts'
import { type AttentionContext, cachedAttention } from './cached-attention.ts'
import { expertMlp } from './experts.ts'

/** Names of the inputs and outputs of one layer's cache. */
export interface CacheNames {
  readonly pastKey: string
  readonly pastValue: string
  readonly newKey: string
  readonly newValue: string
}

/** The names that one layer's cache has in the graph. */
export function cacheNames(layer: number): CacheNames {
  const name = (part: string): string => `${part}.${layer}`
  return {
    pastKey: name('past_key'),
    pastValue: name('past_value'),
    newKey: name('new_key'),
    newValue: name('new_value'),
  }
}

/** Names of the inputs of a low-rank update. */
export function updateNames(projection: string): { readonly down: string; readonly up: string } {
  return { down: `${projection}.down`, up: `${projection}.up` }
}

export interface InferenceGraphOptions {
  /** `logits`, with keys and values for the cache, or `hidden`: the last normalised hidden states, and no cache. */
  readonly output: 'logits' | 'hidden'
  /** Adds the inputs of low-rank updates to every linear layer. */
  readonly hasAdapters: boolean
  /** Weights that become constants of the model; omitted ones become inputs. */
  readonly constants: ReadonlyMap<string, TensorData>
}

/**
 * Builds the forward pass with a cache, as an ONNX model. Extents `batch`, `tokens`, `past`, `rows`, `adapters` (1, or
 * batch) and `rank` are free. Inputs: `ids` and `positions` int64 [batch, tokens]; `past_mask`, `new_mask`, `lengths`
 * as in `AttentionContext`; `rows` int64 [rows], the indices of the batch·tokens hidden states that get logits; caches
 * and updates by the names above, updates as [adapters, in, rank] and [adapters, rank, out] with the scale multiplied
 * in. Outputs: `logits` [rows, vocab] and the new keys and values of each layer, [batch, kvHeads, tokens, width]; or
 * `hidden` [rows, hidden] alone.
 */
export function inferenceGraph(config: ModelConfig, options: InferenceGraphOptions): Uint8Array {
  const g = new GraphBuilder('inference')
  const weight = declareWeights(g, config, options.constants)
  const tables = ropeTables(config, config.contextLength)
  const half = config.headDim / 2
  const context: AttentionContext = {
    positions: g.input('positions', 'int64', ['batch', 'tokens']),
    cosine: g.floats(tables.cosine, [config.contextLength, half]),
    sine: g.floats(tables.sine, [config.contextLength, half]),
    pastMask: g.input('past_mask', 'float32', ['batch', 1, 1, 'past']),
    newMask: g.input('new_mask', 'float32', [1, 1, 'stacked', 'tokens']),
    lengths: g.input('lengths', 'int64', [2]),
  }
  let hidden = gather(g, weight(EMBEDDING), g.input('ids', 'int64', ['batch', 'tokens']))
  for (let layer = 0; layer < config.layers; layer++) {
    const names = cacheNames(layer)
    const cacheShape = ['batch', config.kvHeads, 'past', config.headDim]
    const past = {
      key: g.input(names.pastKey, 'float32', cacheShape),
      value: g.input(names.pastValue, 'float32', cacheShape),
    }
    hidden = decoderLayer(g, config, hidden, {
      norm: (norm) => weight(`model.layers.${layer}.${norm}.weight`),
      ...(hasExperts(config, layer) && { mlp: (x: Value) => expertMlp(g, config, x, { layer, weight }) }),
      linear: (x, projection) => linear(g, config, x, { layer, projection, weight, hasAdapter: options.hasAdapters }),
      attention: (query, key, value) => {
        const { output, added } = cachedAttention(g, config, context, past, { query, key, value })
        if (options.output === 'logits') {
          g.output(names.newKey, added.key)
          g.output(names.newValue, added.value)
        }
        return output
      },
    })
  }
  const [normed] = rmsNorm(g, hidden, weight('model.norm.weight'), config.normEpsilon)
  const flat = g.single({ type: 'Reshape', inputs: [normed, g.integers([-1, config.hiddenSize])] }, 'float32', [
    'positions',
    config.hiddenSize,
  ])
  const chosen = gather(g, flat, g.input('rows', 'int64', ['rows']))
  if (options.output === 'hidden') {
    g.output('hidden', chosen)
    return g.toBytes()
  }
  const head = weight(config.tiedEmbeddings ? EMBEDDING : OUTPUT_HEAD)
  g.output('logits', matmul(g, chosen, head, { transposeB: true }))
  return g.toBytes()
}

type Weight = (name: string) => Value

function declareWeights(g: GraphBuilder, config: ModelConfig, constants: ReadonlyMap<string, TensorData>): Weight {
  const declared = new Map<string, Value>()
  for (const [name, shape] of weightShapes(config)) {
    const constant = constants.get(name)
    const value =
      constant === undefined ? g.input(name, 'float32', shape) : g.weight(name, 'float32', shape, constant.data)
    declared.set(name, value)
  }
  return (name) => {
    const value = declared.get(name)
    if (value === undefined) throw new Error(`The model has no weight ${name}`)
    return value
  }
}

interface LinearLayer {
  readonly layer: number
  readonly projection: Projection
  readonly weight: Weight
  readonly hasAdapter: boolean
}

/** y = x·Wᵀ + b + (x·down)·up; one adapter for all rows of the batch, or one for each. */
function linear(
  g: GraphBuilder,
  config: ModelConfig,
  x: Value,
  { layer, projection, weight, hasAdapter }: LinearLayer,
): Value {
  const name = projectionName(layer, projection)
  const product = matmul(g, x, weight(`${name}.weight`), { transposeB: true })
  const hasBias = weightShapes(config).has(`${name}.bias`)
  const y = hasBias ? add(g, product, weight(`${name}.bias`)) : product
  if (!hasAdapter) return y
  const [outputs, inputs] = projectionShape(config, projection)
  const names = updateNames(name)
  const down = g.input(names.down, 'float32', ['adapters', inputs, 'rank'])
  const up = g.input(names.up, 'float32', ['adapters', 'rank', outputs])
  const narrow = g.single({ type: 'MatMul', inputs: [x, down] }, 'float32', ['batch', 'tokens', 'rank'])
  return add(g, y, g.single({ type: 'MatMul', inputs: [narrow, up] }, 'float32', y.shape))
}
