import { staticDim } from '../builder.ts'
import { mul } from '../ops/elementwise.ts'
import { reshape } from '../ops/layout.ts'
import { matmul } from '../ops/products.ts'
import { firstGrad, outputAt, inputAt, type VjpRule } from './rule.ts'

/**
 * s = −D(h·Eᵀ), whose derivatives y in the logits and y·E the operation has computed: dh = g·(y·E); dE = (g·y)ᵀ·h.
 */
export const negativeDivergenceRule: VjpRule = (g, operation, grads, needs) => {
  const h = inputAt(operation, 0)
  const column = reshape(g, firstGrad(operation, grads), [staticDim(h.shape[0]), 1])
  return [
    needs[0] === true ? mul(g, column, outputAt(operation, 1)) : undefined,
    needs[1] === true ? matmul(g, mul(g, column, outputAt(operation, 2)), h, { transposeA: true }) : undefined,
  ]
}
