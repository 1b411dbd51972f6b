import { matmul } from '../ops/products.ts'
import { sumTo } from './elementwise.ts'
import { firstGrad, floatAttribute, inputAt, outputAt, type VjpRule } from './rule.ts'

/**
 * y = x·W'ᵀ + b with W' = W + s·B·A: dx = g·W'; with u = x·Aᵀ and v = s·g·B: dA = vᵀ·x, dB = s·gᵀ·u; db = Σ g.
 * Only products with a thin side: the gradient of W' itself is never formed. W is frozen and gets none.
 */
export const loraLinearRule: VjpRule = (g, operation, grads, needs) => {
  const grad = firstGrad(operation, grads)
  const [x, a, b] = [inputAt(operation, 0), inputAt(operation, 2), inputAt(operation, 3)]
  const merged = outputAt(operation, 1)
  const scale = floatAttribute(operation, 'scale', 1)
  const bias = operation.inputs[4]
  if (needs[1] === true) throw new Error('The weight under a low-rank update is frozen')
  return [
    needs[0] === true ? matmul(g, grad, merged) : undefined,
    undefined,
    needs[2] === true ? matmul(g, matmul(g, grad, b, { alpha: scale }), x, { transposeA: true }) : undefined,
    needs[3] === true
      ? matmul(g, grad, matmul(g, x, a, { transposeB: true }), { transposeA: true, alpha: scale })
      : undefined,
    needs[4] === true && bias !== undefined && bias !== null ? sumTo(g, grad, bias.shape) : undefined,
  ]
}
