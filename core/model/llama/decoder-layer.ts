import type { ModelConfig } from '../config/model-config.ts'
import type { Projection } from '../config/weight-names.ts'
import type { GraphBuilder } from '../graph/builder.ts'
import { add } from '../graph/ops/elementwise.ts'
import { reshape } from '../graph/ops/layout.ts'
import { swiGlu } from '../graph/ops/swiglu.ts'
import { rmsNorm } from '../graph/ops/transformer.ts'
import type { Value } from '../graph/value.ts'

/** The normalisations of a decoder layer; the last two only in bases with `qkNorm`. */
export type LayerNorm = 'input_layernorm' | 'post_attention_layernorm' | 'self_attn.q_norm' | 'self_attn.k_norm'

/** Differences between training, inference and export: the source of the weights and the computation of attention. */
export interface LayerParts {
  /** y = x·Wᵀ, plus the bias and the low-rank update where there are any. */
  readonly linear: (x: Value, projection: Projection) => Value
  /** The weight of a normalisation. */
  readonly norm: (norm: LayerNorm) => Value
  /**
   * Rotates and attends: queries [..., heads·width], keys and values [..., kvHeads·width], with bias and head norms
   * applied, to [..., heads·width].
   */
  readonly attention: (query: Value, key: Value, value: Value) => Value
  /** Replaces the gated MLP: the experts of a mixture. */
  readonly mlp?: (x: Value) => Value
  /** Selects the rows needed after this layer's attention, so that the others are computed no further. */
  readonly keep?: (x: Value) => Value
}

/** Normalises each head of [..., heads·width] on its own (Qwen3). */
function normalizeHeads(g: GraphBuilder, config: ModelConfig, x: Value, heads: number, weight: Value): Value {
  const split = reshape(g, x, [...x.shape.slice(0, -1), heads, config.headDim])
  const [y] = rmsNorm(g, split, weight, config.normEpsilon)
  return reshape(g, y, x.shape)
}

/**
 * One decoder layer: x + attention(norm(x)), then + mlp(norm(·)), of hidden states [..., hidden] whose leading
 * dimensions are the caller's choice.
 */
export function decoderLayer(g: GraphBuilder, config: ModelConfig, x: Value, parts: LayerParts): Value {
  const [normed] = rmsNorm(g, x, parts.norm('input_layernorm'), config.normEpsilon)
  let query = parts.linear(normed, 'q_proj')
  let key = parts.linear(normed, 'k_proj')
  const value = parts.linear(normed, 'v_proj')
  if (config.qkNorm) {
    query = normalizeHeads(g, config, query, config.heads, parts.norm('self_attn.q_norm'))
    key = normalizeHeads(g, config, key, config.kvHeads, parts.norm('self_attn.k_norm'))
  }
  const keep = parts.keep ?? ((rows: Value) => rows)
  const attended = add(g, keep(x), parts.linear(keep(parts.attention(query, key, value)), 'o_proj'))
  const [input] = rmsNorm(g, attended, parts.norm('post_attention_layernorm'), config.normEpsilon)
  if (parts.mlp !== undefined) return add(g, attended, parts.mlp(input))
  const hidden = swiGlu(g, parts.linear(input, 'gate_proj'), parts.linear(input, 'up_proj'))
  return add(g, attended, parts.linear(hidden, 'down_proj'))
}
