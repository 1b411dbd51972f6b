import { elementCount, type GraphBuilder, staticDim } from '../builder.ts'
import { axisOf, dimAt, withDim } from '../shapes.ts'
import type { Dim, Shape, Value } from '../value.ts'

/**
 * Returns the same elements in another shape. A symbolic extent of the target must be on the same axis in the source,
 * except one, which is inferred.
 */
export function reshape(g: GraphBuilder, x: Value, shape: Shape): Value {
  let inferred = 0
  const target = shape.map((dim, axis) => {
    if (typeof dim === 'number') return dim
    if (x.shape[axis] === dim) return 0
    inferred++
    return -1
  })
  if (inferred > 1) throw new Error(`Cannot infer [${shape.join(', ')}] from [${x.shape.join(', ')}]`)
  const isStatic = [...x.shape, ...shape].every((dim) => typeof dim === 'number')
  if (isStatic && elementCount(x.shape) !== elementCount(shape)) {
    throw new Error(`Cannot reshape [${x.shape.join(', ')}] to [${shape.join(', ')}]`)
  }
  return g.single({ type: 'Reshape', inputs: [x, g.integers(target)] }, x.dtype, shape)
}

/** Axis i of the result is axis `order[i]` of `x`. */
export function transpose(g: GraphBuilder, x: Value, order: readonly number[]): Value {
  const shape = order.map((axis) => dimAt(x.shape, axis))
  if (new Set(order).size !== x.shape.length) throw new Error(`Not a permutation: ${order.join(', ')}`)
  return g.single({ type: 'Transpose', inputs: [x], attributes: { perm: { ints: order } } }, x.dtype, shape)
}

export function concat(g: GraphBuilder, values: readonly Value[], axis: number): Value {
  const [first] = values
  if (first === undefined) throw new Error('Nothing to concatenate')
  if (values.length === 1) return first
  const dim = values.reduce((total, value) => total + staticDim(dimAt(value.shape, axis)), 0)
  const front = axisOf(first.shape, axis)
  const attributes = { axis: { int: front } }
  return g.single({ type: 'Concat', inputs: values, attributes }, first.dtype, withDim(first.shape, front, dim))
}

/** Cuts an axis into consecutive parts of the given sizes. */
export function split(g: GraphBuilder, x: Value, sizes: readonly number[], axis: number): readonly Value[] {
  const front = axisOf(x.shape, axis)
  const outputs = sizes.map((size) => ({ dtype: x.dtype, shape: withDim(x.shape, front, size) }))
  return g.node({ type: 'Split', inputs: [x, g.integers(sizes)], outputs, attributes: { axis: { int: front } } })
}

/** Repeats axes of extent 1 up to `shape`, whose extents are all numbers. */
export function expand(g: GraphBuilder, x: Value, shape: readonly number[]): Value {
  return g.single({ type: 'Expand', inputs: [x, g.integers(shape)] }, x.dtype, shape)
}

/** Zeros of a static shape, stored as one number. */
export function zeros(g: GraphBuilder, shape: Shape): Value {
  return expand(g, g.scalar(0), shape.map(staticDim))
}

/** The shape with an axis of extent 1 inserted. */
export function insertAxis(g: GraphBuilder, x: Value, axis: number): Value {
  const shape: Dim[] = [...x.shape]
  shape.splice(axis, 0, 1)
  return g.single({ type: 'Unsqueeze', inputs: [x, g.integers([axis])] }, x.dtype, shape)
}
