import type { ModelConfig } from '../../config/model-config.ts'
import type { GraphBuilder } from '../../graph/builder.ts'
import { add } from '../../graph/ops/elementwise.ts'
import { reshape, transpose } from '../../graph/ops/layout.ts'
import { matmul } from '../../graph/ops/products.ts'
import { softmax } from '../../graph/ops/reductions.ts'
import { rotaryEmbedding } from '../../graph/ops/transformer.ts'
import type { Shape, Value } from '../../graph/value.ts'

/** Inputs of the attention of every layer. */
export interface AttentionContext {
  /** int64 [batch, tokens]. */
  readonly positions: Value
  readonly cosine: Value
  readonly sine: Value
  /** [batch, 1, 1, past]: 0 where a row has a cached token, a large negative number beyond its end. */
  readonly pastMask: Value
  /** [1, 1, group·tokens, tokens]: causal mask of the new tokens, once for each query head of a group. */
  readonly newMask: Value
  /** int64 [2]: extents of past and tokens. */
  readonly lengths: Value
}

/** Keys and values of a layer, each [batch, kvHeads, length, width]. */
export interface KeyValues {
  readonly key: Value
  readonly value: Value
}

/**
 * Causal attention of new tokens over cached ones and themselves. Scores of the two parts are computed apart and joined
 * before the softmax, so the cache is read where it lies and never copied; the new keys (rotated) and values are
 * returned for the caller to append. Query heads of a group lie below one another as rows, so that keys and values are
 * not repeated for them.
 */
export function cachedAttention(
  g: GraphBuilder,
  config: ModelConfig,
  context: AttentionContext,
  past: KeyValues,
  fresh: { readonly query: Value; readonly key: Value; readonly value: Value },
): { readonly output: Value; readonly added: KeyValues } {
  const { heads, kvHeads, headDim } = config
  const { positions, cosine, sine } = context
  const [batch = 'batch', tokens = 'tokens'] = fresh.query.shape
  const group = heads / kvHeads
  const stacked: Shape = [batch, kvHeads, 'stacked', headDim]
  const rotated = rotaryEmbedding(g, fresh.query, positions, cosine, sine)
  const split = reshape(g, rotated, [batch, tokens, kvHeads, group, headDim])
  const query = reshape(g, transpose(g, split, [0, 2, 3, 1, 4]), stacked)
  const byHead = (x: Value): Value => transpose(g, reshape(g, x, [batch, tokens, kvHeads, headDim]), [0, 2, 1, 3])
  const key = byHead(rotaryEmbedding(g, fresh.key, positions, cosine, sine))
  const value = byHead(fresh.value)
  const alpha = 1 / Math.sqrt(headDim)
  const pastScores = add(g, matmul(g, query, past.key, { transposeB: true, alpha }), context.pastMask)
  const newScores = add(g, matmul(g, query, key, { transposeB: true, alpha }), context.newMask)
  const scores = g.single(
    { type: 'Concat', inputs: [pastScores, newScores], attributes: { axis: { int: -1 } } },
    'float32',
    [batch, kvHeads, 'stacked', 'all'],
  )
  const [pastShare, newShare] = g.node({
    type: 'Split',
    inputs: [softmax(g, scores), context.lengths],
    outputs: [
      { dtype: 'float32', shape: pastScores.shape },
      { dtype: 'float32', shape: newScores.shape },
    ],
    attributes: { axis: { int: -1 } },
  })
  if (pastShare === undefined || newShare === undefined) throw new Error('A split in two has two outputs')
  const attended = add(g, matmul(g, pastShare, past.value), matmul(g, newShare, value))
  const restored = g.single({ type: 'Reshape', inputs: [attended, g.integers([0, heads, -1, headDim])] }, 'float32', [
    batch,
    heads,
    tokens,
    headDim,
  ])
  const output = reshape(g, transpose(g, restored, [0, 2, 1, 3]), [batch, tokens, heads * headDim])
  return { output, added: { key, value } }
}
