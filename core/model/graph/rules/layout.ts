import { staticDim } from '../builder.ts'
import { concat, reshape, split, transpose, zeros } from '../ops/layout.ts'
import { dimAt } from '../shapes.ts'
import { sumTo } from './elementwise.ts'
import { firstGrad, inputAt, intAttribute, type VjpRule } from './rule.ts'

/** y = x under another shape: dx = g under the shape of x. */
export const reshapeRule: VjpRule = (g, operation, grads) => [
  reshape(g, firstGrad(operation, grads), inputAt(operation, 0).shape),
]

/** y = x with permuted axes: dx = g with the inverse permutation. */
export const transposeRule: VjpRule = (g, operation, grads) => {
  const { perm } = operation.attributes
  if (perm === undefined || !('ints' in perm)) throw new Error('Transpose without an order')
  const inverse = perm.ints.map((_, axis) => perm.ints.indexOf(axis))
  return [transpose(g, firstGrad(operation, grads), inverse)]
}

/** y = x repeated along axes of extent 1: dx = g summed over them. */
export const expandRule: VjpRule = (g, operation, grads) => [
  sumTo(g, firstGrad(operation, grads), inputAt(operation, 0).shape),
]

/** y = [x₁ … xₙ]: dxᵢ = the i-th part of g. */
export const concatRule: VjpRule = (g, operation, grads) => {
  const axis = intAttribute(operation, 'axis')
  const sizes = operation.inputs.map((_, index) => staticDim(dimAt(inputAt(operation, index).shape, axis)))
  return split(g, firstGrad(operation, grads), sizes, axis)
}

/** [y₁ … yₙ] = x: dx = [g₁ … gₙ], zeros for a part without dependents. */
export const splitRule: VjpRule = (g, operation, grads) => {
  const parts = operation.outputs.map((output, index) => grads[index] ?? zeros(g, output.shape))
  return [concat(g, parts, intAttribute(operation, 'axis'))]
}
