import type { ModelConfig } from '../config/model-config.ts'
import type { GraphBuilder } from '../graph/builder.ts'
import { add, and, equal, greaterOrEqual, where } from '../graph/ops/elementwise.ts'
import { insertAxis, reshape, transpose } from '../graph/ops/layout.ts'
import { matmul } from '../graph/ops/products.ts'
import { softmax } from '../graph/ops/reductions.ts'
import { rotaryEmbedding } from '../graph/ops/transformer.ts'
import type { Value } from '../graph/value.ts'
import type { LayerParts } from './decoder-layer.ts'
import { ropeTables } from './rope.ts'
import type { Bucket } from './batch.ts'

/** Added to the score of a pair that may not attend; finite, so that no row of scores can become NaN. */
const CLOSED = -1e9

/**
 * Scores' mask [bins, 1, length, length] from segment numbers int64 [bins, length]: 0 where the key is of the same
 * segment and not later than the query, −1e9 elsewhere. Padding is a segment of its own and attends to itself.
 */
function blockCausalMask(g: GraphBuilder, segments: Value, length: number): Value {
  const order = g.integers(Array.from({ length }, (_, index) => index))
  const isCausal = greaterOrEqual(g, insertAxis(g, order, 1), insertAxis(g, order, 0))
  const isSameSegment = equal(g, insertAxis(g, segments, 2), insertAxis(g, segments, 1))
  const mask = where(g, and(g, isSameSegment, isCausal), g.scalar(0), g.scalar(CLOSED))
  return insertAxis(g, mask, 1)
}

/**
 * Attention over rows packed into bins, for hidden states [bins·length, …]. The query heads that share a key head are
 * stacked along rows, [bins, kvHeads, group·length, width], so keys and values are never repeated and their gradients
 * add up by themselves.
 */
export function packedAttention(
  g: GraphBuilder,
  config: ModelConfig,
  bucket: Bucket,
  rows: { readonly positions: Value; readonly segments: Value },
): LayerParts['attention'] {
  const { bins, length } = bucket
  const { heads, kvHeads, headDim } = config
  const group = heads / kvHeads
  const tables = ropeTables(config, length)
  const cosine = g.floats(tables.cosine, [length, headDim / 2])
  const sine = g.floats(tables.sine, [length, headDim / 2])
  const mask = blockCausalMask(g, rows.segments, length)

  const byHead = (x: Value, count: number): Value =>
    transpose(g, reshape(g, x, [bins, length, count, headDim]), [0, 2, 1, 3])
  const rotated = (x: Value, count: number): Value =>
    rotaryEmbedding(g, reshape(g, x, [bins, length, count * headDim]), rows.positions, cosine, sine)

  return (query, key, value) => {
    const q = reshape(g, byHead(rotated(query, heads), heads), [bins, kvHeads, group * length, headDim])
    const k = byHead(rotated(key, kvHeads), kvHeads)
    const scores = matmul(g, q, k, { transposeB: true, alpha: 1 / Math.sqrt(headDim) })
    const masked = add(g, reshape(g, scores, [bins, heads, length, length]), mask)
    const probabilities = reshape(g, softmax(g, masked), [bins, kvHeads, group * length, length])
    const mixed = matmul(g, probabilities, byHead(value, kvHeads))
    const byToken = transpose(g, reshape(g, mixed, [bins, heads, length, headDim]), [0, 2, 1, 3])
    return reshape(g, byToken, [bins * length, heads * headDim])
  }
}
