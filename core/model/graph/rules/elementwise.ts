import type { GraphBuilder } from '../builder.ts'
import { cast, div, equal, mul, neg, sub } from '../ops/elementwise.ts'
import { reshape } from '../ops/layout.ts'
import { reduceSum } from '../ops/reductions.ts'
import { sameShape } from '../shapes.ts'
import type { Shape, Value } from '../value.ts'
import { firstGrad, inputAt, outputAt, type VjpRule } from './rule.ts'

/** Undoes broadcasting: sums a gradient over the axes along which an operand of `shape` was repeated. */
export function sumTo(g: GraphBuilder, grad: Value, shape: Shape): Value {
  if (sameShape(grad.shape, shape)) return grad
  const missing = grad.shape.length - shape.length
  const axes = [...grad.shape.keys()].filter(
    (axis) => axis < missing || (shape[axis - missing] === 1 && grad.shape[axis] !== 1),
  )
  return reshape(g, reduceSum(g, grad, axes), shape)
}

type Partials = (g: GraphBuilder, grad: Value, a: Value, b: Value, y: Value) => readonly [() => Value, () => Value]

function binaryRule(partials: Partials): VjpRule {
  return (g, operation, grads, needs) => {
    const grad = firstGrad(operation, grads)
    const operands = [inputAt(operation, 0), inputAt(operation, 1)] as const
    return partials(g, grad, ...operands, outputAt(operation, 0)).map((partial, index) =>
      needs[index] === true ? sumTo(g, partial(), operands[index === 0 ? 0 : 1].shape) : undefined,
    )
  }
}

function unaryRule(derivative: (g: GraphBuilder, grad: Value, x: Value, y: Value) => Value): VjpRule {
  return (g, operation, grads) => [
    derivative(g, firstGrad(operation, grads), inputAt(operation, 0), outputAt(operation, 0)),
  ]
}

/** y = a + b: da = g, db = g. */
export const addRule = binaryRule((_g, grad) => [() => grad, () => grad])

/** y = a − b: da = g, db = −g. */
export const subRule = binaryRule((g, grad) => [() => grad, () => neg(g, grad)])

/** y = a·b: da = g·b, db = g·a. */
export const mulRule = binaryRule((g, grad, a, b) => [() => mul(g, grad, b), () => mul(g, grad, a)])

/** y = a/b: da = g/b, db = −g·y/b. */
export const divRule = binaryRule((g, grad, _a, b, y) => [
  () => div(g, grad, b),
  () => neg(g, div(g, mul(g, grad, y), b)),
])

/** y = max(a, b): g where the operand is the larger one; the first operand takes ties. */
export const maxRule = binaryRule((g, grad, a, _b, y) => {
  const isFirst = cast(g, equal(g, a, y), 'float32')
  return [() => mul(g, grad, isFirst), () => sub(g, grad, mul(g, grad, isFirst))]
})

/** y = −x: dx = −g. */
export const negRule = unaryRule((g, grad) => neg(g, grad))

/** y = log x: dx = g/x. */
export const logRule = unaryRule((g, grad, x) => div(g, grad, x))

/** y = σ(x): dx = g·y·(1 − y). */
export const sigmoidRule = unaryRule((g, grad, _x, y) => mul(g, grad, mul(g, y, sub(g, g.scalar(1), y))))
