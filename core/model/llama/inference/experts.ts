import type { ModelConfig } from '../../config/model-config.ts'
import { expertName, routerName } from '../../config/weight-names.ts'
import type { GraphBuilder } from '../../graph/builder.ts'
import { add, div, mul } from '../../graph/ops/elementwise.ts'
import { gather } from '../../graph/ops/indexing.ts'
import { reshape } from '../../graph/ops/layout.ts'
import { matmul } from '../../graph/ops/products.ts'
import { reduceSum, softmax } from '../../graph/ops/reductions.ts'
import { swiGlu } from '../../graph/ops/swiglu.ts'
import type { Shape, Value } from '../../graph/value.ts'

/** Names of a sparse layer's input and outputs in the inference graph. */
export interface ExpertNames {
  /** float32 [batch, 1, experts]: 0, or a large negative number for an expert that is masked in a row. */
  readonly mask: string
  /** float32 [batch, tokens, experts]: the router's logits, before the mask. */
  readonly logits: string
  /** int64 [batch, tokens, experts of a token]. */
  readonly chosen: string
}

/** The names of a sparse layer. */
export function expertNames(layer: number): ExpertNames {
  return { mask: `expert_mask.${layer}`, logits: `router_logits.${layer}`, chosen: `chosen_experts.${layer}` }
}

/**
 * The mixture of experts of one layer (Qwen3-MoE): softmax of the router over all experts, the k largest shares, divided
 * by their sum where the base says so, times the experts' gated MLPs. Each expert computes the tokens that chose it and
 * no others. Hidden states are [batch, tokens, hidden].
 */
export function expertMlp(
  g: GraphBuilder,
  config: ModelConfig,
  x: Value,
  part: { readonly layer: number; readonly weight: (name: string) => Value },
): Value {
  const { experts, hiddenSize } = config
  if (experts === undefined) throw new Error('A dense base has no experts')
  const { count, perToken } = experts
  const { layer, weight } = part
  const names = expertNames(layer)
  const [batch = 'batch', tokens = 'tokens'] = x.shape
  const logits = matmul(g, x, weight(routerName(layer)), { transposeB: true })
  g.output(names.logits, logits)
  const shares = softmax(g, add(g, logits, g.input(names.mask, 'float32', [batch, 1, count])))
  const [largest, chosen] = g.node({
    type: 'TopK',
    inputs: [shares, g.integers([perToken])],
    outputs: [
      { dtype: 'float32', shape: [batch, tokens, perToken] },
      { dtype: 'int64', shape: [batch, tokens, perToken] },
    ],
    attributes: { axis: { int: -1 } },
  })
  if (largest === undefined || chosen === undefined) throw new Error('TopK has two outputs')
  g.output(names.chosen, chosen)
  const kept = experts.normalizesShares ? div(g, largest, reduceSum(g, largest, [-1])) : largest
  const scattered = g.single(
    { type: 'ScatterElements', inputs: [mul(g, shares, g.scalar(0)), chosen, kept], attributes: { axis: { int: -1 } } },
    'float32',
    shares.shape,
  )
  const flat = flatten(g, x, hiddenSize)
  const byExpert = g.single(
    { type: 'Transpose', inputs: [flatten(g, scattered, count)], attributes: { perm: { ints: [1, 0] } } },
    'float32',
    [count, 'positions'],
  )
  let sum = mul(g, flat, g.scalar(0))
  for (let expert = 0; expert < count; expert++) {
    const share = reshape(g, gather(g, byExpert, g.integers([expert])), ['positions'])
    sum = addExpert(g, { flat, sum, share }, (projection) => weight(expertName(layer, expert, projection)))
  }
  return g.single({ type: 'Reshape', inputs: [sum, shapeOf(g, x)] }, 'float32', x.shape)
}

/** Adds what one expert makes of the positions whose share is not zero. */
function addExpert(
  g: GraphBuilder,
  { flat, sum, share }: { readonly flat: Value; readonly sum: Value; readonly share: Value },
  weight: (projection: 'gate_proj' | 'up_proj' | 'down_proj') => Value,
): Value {
  const found = g.single({ type: 'NonZero', inputs: [share] }, 'int64', [1, 'found'])
  const places = g.single({ type: 'Reshape', inputs: [found, g.integers([-1])] }, 'int64', ['found'])
  const rows = gather(g, flat, places)
  const linear = (value: Value, projection: 'gate_proj' | 'up_proj' | 'down_proj'): Value =>
    matmul(g, value, weight(projection), { transposeB: true })
  const made = linear(swiGlu(g, linear(rows, 'gate_proj'), linear(rows, 'up_proj')), 'down_proj')
  const factor = unsqueeze(g, gather(g, share, places), ['found', 1])
  const attributes = { reduction: { string: 'add' } }
  const inputs = [sum, unsqueeze(g, places, ['found', 1]), mul(g, made, factor)]
  return g.single({ type: 'ScatterND', inputs, attributes }, 'float32', sum.shape)
}

function flatten(g: GraphBuilder, x: Value, width: number): Value {
  return g.single({ type: 'Reshape', inputs: [x, g.integers([-1, width])] }, 'float32', ['positions', width])
}

function unsqueeze(g: GraphBuilder, x: Value, shape: Shape): Value {
  return g.single({ type: 'Unsqueeze', inputs: [x, g.integers([1])] }, x.dtype, shape)
}

function shapeOf(g: GraphBuilder, x: Value): Value {
  return g.single({ type: 'Shape', inputs: [x] }, 'int64', [x.shape.length])
}
