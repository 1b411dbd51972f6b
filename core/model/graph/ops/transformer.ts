import type { GraphBuilder } from '../builder.ts'
import { withDim } from '../shapes.ts'
import type { Value } from '../value.ts'

/**
 * Root-mean-square normalisation over the last axis (Zhang and Sennrich 2019): x · weight / √(mean(x²) + epsilon).
 * The second output is 1/√(mean(x²) + epsilon), which the backward pass needs.
 */
export function rmsNorm(g: GraphBuilder, x: Value, weight: Value, epsilon: number): readonly [Value, Value] {
  const outputs = [
    { dtype: x.dtype, shape: x.shape },
    { dtype: 'float32' as const, shape: withDim(x.shape, -1, 1) },
  ]
  const attributes = { axis: { int: -1 }, epsilon: { float: epsilon }, stash_type: { int: 1 } }
  const [y, inverse] = g.node({ type: 'SimplifiedLayerNormalization', inputs: [x, weight], outputs, attributes })
  if (y === undefined || inverse === undefined) throw new Error('SimplifiedLayerNormalization has two outputs')
  return [y, inverse]
}

/**
 * Rotary position embedding (Su et al. 2021), rotating halves as Llama does. `x` is [batch, tokens, heads·width],
 * `positions` int64 [batch, tokens], the tables [positions, width/2].
 */
export function rotaryEmbedding(g: GraphBuilder, x: Value, positions: Value, cosine: Value, sine: Value): Value {
  const inputs = [x, positions, cosine, sine]
  return g.single({ type: 'RotaryEmbedding', inputs, microsoft: true }, x.dtype, x.shape)
}
