import type { GraphBuilder } from '../builder.ts'
import { axisOf } from '../shapes.ts'
import type { Dim, Value } from '../value.ts'

/** Sum over the given axes, kept with extent 1 unless `keepAxes` is false. */
export function reduceSum(g: GraphBuilder, x: Value, axes: readonly number[], keepAxes = true): Value {
  const fronts = axes.map((axis) => axisOf(x.shape, axis))
  const shape: Dim[] = []
  for (const [axis, dim] of x.shape.entries()) {
    if (!fronts.includes(axis)) shape.push(dim)
    else if (keepAxes) shape.push(1)
  }
  const attributes = { keepdims: { int: Number(keepAxes) } }
  return g.single({ type: 'ReduceSum', inputs: [x, g.integers(fronts)], attributes }, x.dtype, shape)
}

/** Softmax over the last axis. */
export function softmax(g: GraphBuilder, x: Value): Value {
  return g.single({ type: 'Softmax', inputs: [x], attributes: { axis: { int: -1 } } }, x.dtype, x.shape)
}

/** Logarithm of the softmax over the last axis. */
export function logSoftmax(g: GraphBuilder, x: Value): Value {
  return g.single({ type: 'LogSoftmax', inputs: [x], attributes: { axis: { int: -1 } } }, x.dtype, x.shape)
}
