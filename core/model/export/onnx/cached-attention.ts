import type { ModelConfig } from '../../config/model-config.ts'
import type { GraphBuilder } from '../../graph/builder.ts'
import type { Dim, Value } from '../../graph/value.ts'
import { BATCH, node, permute, reshapeTo, SEQUENCE, TOTAL, unsqueeze } from './nodes.ts'

/** Keys and values of one layer, `[batch, kvHeads, tokens, headDim]`. */
export interface Cache {
  readonly key: Value
  readonly value: Value
}

/** Inputs shared by the attention of all layers. */
export interface AttentionInputs {
  readonly config: ModelConfig
  /** Batch and sequence length of the new tokens, `[2]`. */
  readonly extents: Value
  /** `[batch, 1, sequence, headDim / 2]`. */
  readonly cosine: Value
  readonly sine: Value
  /** Which keys each query may look at, `[batch, 1, 1, sequence, total]`. */
  readonly allowed: Value
}

/** Small enough that its exponential is 0, and finite, so that a row that is closed as a whole gives no NaN. */
const CLOSED = -1e9

/**
 * Grouped-query attention of the new tokens over the cache and themselves (Ainslie et al. 2023), with rotary embedding
 * of queries and keys (Su et al. 2021, halves rotated as Hugging Face does). `x` is `[tokens, hidden]`, so is the output.
 */
export function cachedAttention(
  g: GraphBuilder,
  shared: AttentionInputs,
  x: Value,
  past: Cache,
  project: (x: Value, part: string) => Value,
  norm: (x: Value, part: string) => Value,
): { readonly output: Value; readonly present: Cache } {
  const { config, extents } = shared
  const { heads, kvHeads, headDim } = config
  const groups = heads / kvHeads

  const split = (part: string, count: number): Value => {
    const shape = [BATCH, SEQUENCE, count, headDim]
    const flat = project(x, `self_attn.${part}`)
    const target = node(g, 'Concat', [extents, g.integers([count, headDim])], { dtype: 'int64', shape: [4] }, AXIS_0)
    return reshapeTo(g, flat, target, shape)
  }
  const headsFirst = (value: Value, count: number): Value =>
    permute(g, value, [0, 2, 1, 3], [BATCH, count, SEQUENCE, headDim])
  const normed = (value: Value, part: string): Value => (config.qkNorm ? norm(value, `self_attn.${part}`) : value)

  const query = rotate(g, shared, headsFirst(normed(split('q_proj', heads), 'q_norm'), heads), heads)
  const newKey = rotate(g, shared, headsFirst(normed(split('k_proj', kvHeads), 'k_norm'), kvHeads), kvHeads)
  const newValue = headsFirst(split('v_proj', kvHeads), kvHeads)
  const append = (old: Value, fresh: Value): Value =>
    node(g, 'Concat', [old, fresh], { shape: [BATCH, kvHeads, TOTAL, headDim] }, { axis: { int: 2 } })
  const present = { key: append(past.key, newKey), value: append(past.value, newValue) }

  const grouped = (...last: [Dim, Dim]): readonly Dim[] => [BATCH, kvHeads, groups, ...last]
  const asked = reshapeTo(g, query, [0, kvHeads, groups, -1, headDim], grouped(SEQUENCE, headDim))
  const keys = permute(g, present.key, [0, 1, 3, 2], [BATCH, kvHeads, headDim, TOTAL])
  const spreadKeys = unsqueeze(g, keys, [2], [BATCH, kvHeads, 1, headDim, TOTAL])
  const shape = grouped(SEQUENCE, TOTAL)
  const products = node(g, 'MatMul', [asked, spreadKeys], { shape })
  const scores = node(g, 'Mul', [products, g.scalar(1 / Math.sqrt(headDim))], { shape })
  const open = node(g, 'Where', [shared.allowed, scores, g.scalar(CLOSED)], { shape })
  const shares = node(g, 'Softmax', [open], { shape }, { axis: { int: -1 } })
  const spreadValues = unsqueeze(g, present.value, [2], [BATCH, kvHeads, 1, TOTAL, headDim])
  const mixed = node(g, 'MatMul', [shares, spreadValues], { shape: grouped(SEQUENCE, headDim) })
  const perHead = reshapeTo(g, mixed, [0, heads, -1, headDim], [BATCH, heads, SEQUENCE, headDim])
  const back = permute(g, perHead, [0, 2, 1, 3], [BATCH, SEQUENCE, heads, headDim])
  const flat = reshapeTo(g, back, [-1, heads * headDim], ['tokens', heads * headDim])
  return { output: project(flat, 'self_attn.o_proj'), present }
}

const AXIS_0 = { axis: { int: 0 } } as const

/** (a, b) as (a cos - b sin, b cos + a sin), with a and b the halves of each head. */
function rotate(g: GraphBuilder, { config, cosine, sine }: AttentionInputs, x: Value, heads: number): Value {
  const half = config.headDim / 2
  const shape = [BATCH, heads, SEQUENCE, half]
  const spec = { dtype: 'float32', shape } as const
  const halves = g.node({
    type: 'Split',
    inputs: [x, g.integers([half, half])],
    outputs: [spec, spec],
    attributes: { axis: { int: 3 } },
  })
  const [first, second] = halves
  if (first === undefined || second === undefined) throw new Error('a split in two has two parts')
  const times = (a: Value, b: Value): Value => node(g, 'Mul', [a, b], { shape })
  const left = node(g, 'Sub', [times(first, cosine), times(second, sine)], { shape })
  const right = node(g, 'Add', [times(second, cosine), times(first, sine)], { shape })
  return node(g, 'Concat', [left, right], { shape: x.shape }, { axis: { int: 3 } })
}
