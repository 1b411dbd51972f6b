import type { GraphBuilder } from '../builder.ts'
import { DATA_TYPES } from '../onnx-model.ts'
import { broadcastShapes } from '../shapes.ts'
import type { DType, Value } from '../value.ts'

function binary(g: GraphBuilder, type: string, a: Value, b: Value, dtype: DType = a.dtype): Value {
  if (a.dtype !== b.dtype) throw new Error(`${type} of ${a.dtype} and ${b.dtype}`)
  return g.single({ type, inputs: [a, b] }, dtype, broadcastShapes(a.shape, b.shape))
}

function unary(g: GraphBuilder, type: string, x: Value): Value {
  return g.single({ type, inputs: [x] }, x.dtype, x.shape)
}

export const add = (g: GraphBuilder, a: Value, b: Value): Value => binary(g, 'Add', a, b)
export const sub = (g: GraphBuilder, a: Value, b: Value): Value => binary(g, 'Sub', a, b)
export const mul = (g: GraphBuilder, a: Value, b: Value): Value => binary(g, 'Mul', a, b)
export const div = (g: GraphBuilder, a: Value, b: Value): Value => binary(g, 'Div', a, b)
/** Element-wise larger value. */
export const max = (g: GraphBuilder, a: Value, b: Value): Value => binary(g, 'Max', a, b)
export const and = (g: GraphBuilder, a: Value, b: Value): Value => binary(g, 'And', a, b)
export const equal = (g: GraphBuilder, a: Value, b: Value): Value => binary(g, 'Equal', a, b, 'bool')
export const greaterOrEqual = (g: GraphBuilder, a: Value, b: Value): Value => binary(g, 'GreaterOrEqual', a, b, 'bool')

export const neg = (g: GraphBuilder, x: Value): Value => unary(g, 'Neg', x)
export const log = (g: GraphBuilder, x: Value): Value => unary(g, 'Log', x)
/** Logistic function 1 / (1 + e⁻ˣ). */
export const sigmoid = (g: GraphBuilder, x: Value): Value => unary(g, 'Sigmoid', x)

/** `condition ? a : b` by element. */
export function where(g: GraphBuilder, condition: Value, a: Value, b: Value): Value {
  const shape = broadcastShapes(condition.shape, broadcastShapes(a.shape, b.shape))
  return g.single({ type: 'Where', inputs: [condition, a, b] }, a.dtype, shape)
}

export function cast(g: GraphBuilder, x: Value, dtype: DType): Value {
  return g.single({ type: 'Cast', inputs: [x], attributes: { to: { int: DATA_TYPES[dtype] } } }, dtype, x.shape)
}

/** Exponential function. */
export const exp = (g: GraphBuilder, x: Value): Value => unary(g, 'Exp', x)
