import { staticDim } from '../builder.ts'
import { mul, sub } from '../ops/elementwise.ts'
import { expand, reshape } from '../ops/layout.ts'
import { reduceSum } from '../ops/reductions.ts'
import { firstGrad, inputAt, outputAt, type VjpRule } from './rule.ts'

/** y = Σ x over axes: dx = g repeated along them. */
export const reduceSumRule: VjpRule = (g, operation, grads) => {
  const x = inputAt(operation, 0)
  const axes = g.integerValues(inputAt(operation, 1))
  const kept = x.shape.map((dim, axis) => (axes.includes(axis) ? 1 : dim))
  return [expand(g, reshape(g, firstGrad(operation, grads), kept), x.shape.map(staticDim))]
}

/** p = softmax(x) over the last axis: dx = p·(g − Σ g·p). */
export const softmaxRule: VjpRule = (g, operation, grads) => {
  const grad = firstGrad(operation, grads)
  const p = outputAt(operation, 0)
  return [mul(g, p, sub(g, grad, reduceSum(g, mul(g, grad, p), [-1])))]
}
