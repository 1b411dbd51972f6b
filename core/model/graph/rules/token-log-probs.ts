import { staticDim } from '../builder.ts'
import { mul, neg, sub } from '../ops/elementwise.ts'
import { gather } from '../ops/indexing.ts'
import { reshape } from '../ops/layout.ts'
import { matmul } from '../ops/products.ts'
import { addRowsAt } from './indexing.ts'
import { firstGrad, inputAt, outputAt, type VjpRule } from './rule.ts'

/**
 * l = log softmax(h·Eᵀ)[t] with p = softmax(h·Eᵀ): dh = g·(E[t] − p·E); dE = −(g·p)ᵀ·h, plus g·h added to row t.
 */
export const tokenLogProbsRule: VjpRule = (g, operation, grads, needs) => {
  const [h, head, targets] = [inputAt(operation, 0), inputAt(operation, 1), inputAt(operation, 2)]
  const p = outputAt(operation, 1)
  const column = reshape(g, firstGrad(operation, grads), [staticDim(h.shape[0]), 1])
  const gradH = () => mul(g, column, sub(g, gather(g, head, targets), matmul(g, p, head)))
  const gradHead = () => {
    const weighted = mul(g, column, h)
    return addRowsAt(g, neg(g, matmul(g, p, weighted, { transposeA: true })), targets, weighted)
  }
  return [needs[0] === true ? gradH() : undefined, needs[1] === true ? gradHead() : undefined]
}
