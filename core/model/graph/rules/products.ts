import { matmul } from '../ops/products.ts'
import { sumTo } from './elementwise.ts'
import { firstGrad, floatAttribute, inputAt, intAttribute, type VjpRule } from './rule.ts'

/**
 * Y = α·op(A)·op(B) (+ C), each of the four cases by moving the transposes so that no tensor is copied:
 *
 * | Y     | dA       | dB       |
 * |-------|----------|----------|
 * | A·B   | α·G·Bᵀ   | α·Aᵀ·G   |
 * | A·Bᵀ  | α·G·B    | α·Gᵀ·A   |
 * | Aᵀ·B  | α·B·Gᵀ   | α·A·G    |
 * | Aᵀ·Bᵀ | α·Bᵀ·Gᵀ  | α·Gᵀ·Aᵀ  |
 *
 * and dC = G summed over the axes along which C was broadcast. Broadcast batch axes of A and B are summed too.
 */
export const productRule: VjpRule = (g, operation, grads, needs) => {
  const grad = firstGrad(operation, grads)
  const [a, b] = [inputAt(operation, 0), inputAt(operation, 1)]
  const transposeA = intAttribute(operation, 'transA') === 1
  const transposeB = intAttribute(operation, 'transB') === 1
  const alpha = floatAttribute(operation, 'alpha', 1)
  const gradA = () =>
    transposeA
      ? matmul(g, b, grad, { transposeA: transposeB, transposeB: true, alpha })
      : matmul(g, grad, b, { transposeB: !transposeB, alpha })
  const gradB = () =>
    transposeB
      ? matmul(g, grad, a, { transposeA: true, transposeB: transposeA, alpha })
      : matmul(g, a, grad, { transposeA: !transposeA, alpha })
  const c = operation.inputs[2]
  return [
    needs[0] === true ? sumTo(g, gradA(), a.shape) : undefined,
    needs[1] === true ? sumTo(g, gradB(), b.shape) : undefined,
    needs[2] === true && c !== undefined && c !== null ? sumTo(g, grad, c.shape) : undefined,
  ]
}
