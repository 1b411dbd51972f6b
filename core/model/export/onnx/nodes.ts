import type { GraphBuilder } from '../../graph/builder.ts'
import type { Attributes, DType, Shape, Value } from '../../graph/value.ts'

/** The extents that are known when the graph runs. */
export const BATCH = 'batch_size'
export const SEQUENCE = 'sequence_length'
export const PAST = 'past_sequence_length'
export const TOTAL = 'total_sequence_length'

/**
 * Adds a node of a standard ONNX operator. Exported graphs keep to the standard set, so that every runtime loads them;
 * the operators of `graph/ops` that ONNX Runtime has of its own are for the graphs that run here.
 */
export function node(
  g: GraphBuilder,
  type: string,
  inputs: readonly (Value | null)[],
  output: { readonly dtype?: DType; readonly shape: Shape },
  attributes: Attributes = {},
): Value {
  return g.single({ type, inputs, attributes }, output.dtype ?? 'float32', output.shape)
}

/** ONNX's numbers of element types. */
export const ELEMENT_TYPES = { float32: 1, int64: 7, bool: 9, float64: 11 } as const

/** The elements as another type. */
export function castTo(g: GraphBuilder, x: Value, dtype: keyof typeof ELEMENT_TYPES): Value {
  return node(g, 'Cast', [x], { dtype, shape: x.shape }, { to: { int: ELEMENT_TYPES[dtype] } })
}

/** The same elements with axes of extent 1 at the given places of the result. */
export function unsqueeze(g: GraphBuilder, x: Value, axes: readonly number[], shape: Shape): Value {
  return node(g, 'Unsqueeze', [x, g.integers(axes)], { dtype: x.dtype, shape })
}

/** The same elements under another shape: 0 keeps the extent at its axis, -1 is inferred. */
export function reshapeTo(g: GraphBuilder, x: Value, target: readonly number[] | Value, shape: Shape): Value {
  const extents = 'name' in target ? target : g.integers(target)
  return node(g, 'Reshape', [x, extents], { dtype: x.dtype, shape })
}

/** Axis i of the result is axis `order[i]`. */
export function permute(g: GraphBuilder, x: Value, order: readonly number[], shape: Shape): Value {
  return node(g, 'Transpose', [x], { dtype: x.dtype, shape }, { perm: { ints: order } })
}

/** x W^T + bias of a matrix x `[tokens, in]` and W `[out, in]`. */
export function linear(g: GraphBuilder, x: Value, weight: Value, bias: Value | undefined): Value {
  const inputs = bias === undefined ? [x, weight] : [x, weight, bias]
  return node(g, 'Gemm', inputs, { shape: [x.shape[0] ?? 'tokens', weight.shape[0] ?? 0] }, { transB: { int: 1 } })
}

/** x / sqrt(mean(x^2) + epsilon) * weight over the last axis (Zhang and Sennrich 2019). */
export function rootMeanSquareNorm(g: GraphBuilder, x: Value, weight: Value, epsilon: number): Value {
  const { shape } = x
  const single = [...shape.slice(0, -1), 1]
  const squares = node(g, 'Mul', [x, x], { shape })
  const mean = node(g, 'ReduceMean', [squares, g.integers([-1])], { shape: single }, { keepdims: { int: 1 } })
  const root = node(g, 'Sqrt', [node(g, 'Add', [mean, g.scalar(epsilon)], { shape: single })], { shape: single })
  return node(g, 'Mul', [node(g, 'Div', [x, root], { shape }), weight], { shape })
}
