import type { ModelConfig } from '../../config/model-config.ts'
import { EMBEDDING, OUTPUT_HEAD } from '../../config/weight-names.ts'
import { GraphBuilder } from '../../graph/builder.ts'
import type { Dim, Shape, Value } from '../../graph/value.ts'
import { ropeFrequencies } from '../../llama/rope.ts'
import { cachedAttention, type AttentionInputs, type Cache } from './cached-attention.ts'
import {
  BATCH,
  castTo,
  linear,
  node,
  PAST,
  reshapeTo,
  rootMeanSquareNorm,
  SEQUENCE,
  TOTAL,
  unsqueeze,
} from './nodes.ts'

/** Makes the constant of a weight: its elements inside the graph, or where they lie beside it. */
export type WeightStore = (g: GraphBuilder, name: string) => Value

/**
 * A decoder as one ONNX graph with a cache of keys and values, in standard operators only (opset 21) and in float32,
 * under the names that Optimum and transformers.js give inputs and outputs: `input_ids`, `attention_mask` (past and
 * new tokens), `position_ids` and `past_key_values.N.key|value` in; `logits` and `present.N.key|value` out.
 */
export function causalLmGraph(config: ModelConfig, names: readonly string[], store: WeightStore): Uint8Array {
  const g = new GraphBuilder('causal-lm')
  const ids = g.input('input_ids', 'int64', [BATCH, SEQUENCE])
  const mask = g.input('attention_mask', 'int64', [BATCH, TOTAL])
  const positions = g.input('position_ids', 'int64', [BATCH, SEQUENCE])
  const past = Array.from({ length: config.layers }, (_, layer) => pastOf(g, config, layer))
  const stored = new Map(names.map((name) => [name, store(g, name)]))
  const optional = (name: string): Value | undefined => stored.get(name)
  const weight = (name: string): Value => {
    const found = stored.get(name)
    if (found === undefined) throw new Error(`the export lacks the weight ${name}`)
    return found
  }

  const extents = node(g, 'Shape', [ids], { dtype: 'int64', shape: [2] })
  const attention: AttentionInputs = {
    config,
    extents,
    ...rotation(g, config, positions),
    allowed: allowedKeys(g, extents, mask),
  }
  const embedded = node(g, 'Gather', [weight(EMBEDDING), ids], { shape: [BATCH, SEQUENCE, config.hiddenSize] })
  let x = reshapeTo(g, embedded, [-1, config.hiddenSize], ['tokens', config.hiddenSize])
  const present: Cache[] = []
  for (const [layer, cache] of past.entries()) {
    const prefix = `model.layers.${layer}`
    const project = (input: Value, part: string): Value =>
      linear(g, input, weight(`${prefix}.${part}.weight`), optional(`${prefix}.${part}.bias`))
    const norm = (input: Value, part: string): Value =>
      rootMeanSquareNorm(g, input, weight(`${prefix}.${part}.weight`), config.normEpsilon)
    const attended = cachedAttention(g, attention, norm(x, 'input_layernorm'), cache, project, norm)
    present.push(attended.present)
    const between = node(g, 'Add', [x, attended.output], { shape: x.shape })
    const normed = norm(between, 'post_attention_layernorm')
    const gate = project(normed, 'mlp.gate_proj')
    const gated = node(g, 'Mul', [gate, node(g, 'Sigmoid', [gate], { shape: gate.shape })], { shape: gate.shape })
    const hidden = node(g, 'Mul', [gated, project(normed, 'mlp.up_proj')], { shape: gate.shape })
    x = node(g, 'Add', [between, project(hidden, 'mlp.down_proj')], { shape: x.shape })
  }
  const last = rootMeanSquareNorm(g, x, weight('model.norm.weight'), config.normEpsilon)
  const flat = linear(g, last, weight(config.tiedEmbeddings ? EMBEDDING : OUTPUT_HEAD), undefined)
  const target = node(
    g,
    'Concat',
    [extents, g.integers([config.vocabSize])],
    { dtype: 'int64', shape: [3] },
    { axis: { int: 0 } },
  )
  g.output('logits', reshapeTo(g, flat, target, [BATCH, SEQUENCE, config.vocabSize]))
  for (const [layer, cache] of present.entries()) {
    g.output(`present.${layer}.key`, cache.key)
    g.output(`present.${layer}.value`, cache.value)
  }
  return g.toBytes()
}

function pastOf(g: GraphBuilder, config: ModelConfig, layer: number): Cache {
  const shape = cacheShape(config, PAST)
  return {
    key: g.input(`past_key_values.${layer}.key`, 'float32', shape),
    value: g.input(`past_key_values.${layer}.value`, 'float32', shape),
  }
}

/** Keys or values: batch, heads, tokens, width. */
function cacheShape(config: ModelConfig, tokens: Dim): Shape {
  return [BATCH, config.kvHeads, tokens, config.headDim]
}

/** Cosine and sine of every position and pair, `[batch, 1, sequence, headDim / 2]`. */
function rotation(
  g: GraphBuilder,
  config: ModelConfig,
  positions: Value,
): { readonly cosine: Value; readonly sine: Value } {
  const half = config.headDim / 2
  const column = unsqueeze(g, castTo(g, positions, 'float32'), [2], [BATCH, SEQUENCE, 1])
  const shape = [BATCH, SEQUENCE, half]
  const angles = node(g, 'Mul', [column, g.floats(ropeFrequencies(config))], { shape })
  const spread = (type: 'Cos' | 'Sin'): Value =>
    unsqueeze(g, node(g, type, [angles], { shape }), [1], [BATCH, 1, SEQUENCE, half])
  return { cosine: spread('Cos'), sine: spread('Sin') }
}

/** Which keys a query may look at: those up to its own place that the mask does not close, `[batch, 1, 1, sequence, total]`. */
function allowedKeys(g: GraphBuilder, extents: Value, mask: Value): Value {
  const number = { dtype: 'int64', shape: [] } as const
  const total = node(g, 'Gather', [node(g, 'Shape', [mask], { dtype: 'int64', shape: [2] }), constant(g, 1)], number)
  const sequence = node(g, 'Gather', [extents, constant(g, 1)], number)
  const past = node(g, 'Sub', [total, sequence], number)
  const range = (end: Value, dim: Dim): Value =>
    node(g, 'Range', [constant(g, 0), end, constant(g, 1)], { dtype: 'int64', shape: [dim] })
  const places = node(g, 'Add', [range(sequence, SEQUENCE), past], { dtype: 'int64', shape: [SEQUENCE] })
  const keys = unsqueeze(g, range(total, TOTAL), [0], [1, TOTAL])
  const causal = node(g, 'LessOrEqual', [keys, unsqueeze(g, places, [1], [SEQUENCE, 1])], {
    dtype: 'bool',
    shape: [SEQUENCE, TOTAL],
  })
  const open = unsqueeze(g, castTo(g, mask, 'bool'), [1, 2, 3], [BATCH, 1, 1, 1, TOTAL])
  return node(g, 'And', [causal, open], { dtype: 'bool', shape: [BATCH, 1, 1, SEQUENCE, TOTAL] })
}

/** A whole number without axes. */
function constant(g: GraphBuilder, value: number): Value {
  return node(g, 'Squeeze', [g.integers([value]), g.integers([0])], { dtype: 'int64', shape: [] })
}
