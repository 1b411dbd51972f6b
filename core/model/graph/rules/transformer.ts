import { staticDim } from '../builder.ts'
import { mul, neg, sub } from '../ops/elementwise.ts'
import { reduceSum } from '../ops/reductions.ts'
import { rotaryEmbedding } from '../ops/transformer.ts'
import { dimAt } from '../shapes.ts'
import { sumTo } from './elementwise.ts'
import { firstGrad, inputAt, outputAt, type VjpRule } from './rule.ts'

/**
 * y = x·i·w with i = 1/√(mean(x²) + ε). With h = g·w and n the width:
 * dx = i·(h − x·i²·mean(h·x)), dw = Σ over rows of g·x·i.
 */
export const rmsNormRule: VjpRule = (g, operation, grads, needs) => {
  const grad = firstGrad(operation, grads)
  const [x, weight] = [inputAt(operation, 0), inputAt(operation, 1)]
  const inverse = outputAt(operation, 1)
  const gradX = () => {
    const h = mul(g, grad, weight)
    const width = g.scalar(1 / staticDim(dimAt(x.shape, -1)))
    const mean = mul(g, reduceSum(g, mul(g, h, x), [-1]), width)
    const factor = mul(g, mul(g, inverse, inverse), mean)
    return mul(g, inverse, sub(g, h, mul(g, x, factor)))
  }
  return [
    needs[0] === true ? gradX() : undefined,
    needs[1] === true ? sumTo(g, mul(g, grad, mul(g, x, inverse)), weight.shape) : undefined,
  ]
}

/** y = R(θ)·x, a rotation of pairs: dx = R(−θ)·g, the same operator with the sine table negated. */
export const rotaryRule: VjpRule = (g, operation, grads) => {
  const [positions, cosine, sine] = [inputAt(operation, 1), inputAt(operation, 2), inputAt(operation, 3)]
  return [rotaryEmbedding(g, firstGrad(operation, grads), positions, cosine, neg(g, sine))]
}
