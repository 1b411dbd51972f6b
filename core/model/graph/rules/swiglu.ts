import { add, mul, sigmoid, sub } from '../ops/elementwise.ts'
import { firstGrad, inputAt, type VjpRule } from './rule.ts'

/**
 * y = silu(a)·b with s = σ(a): db = g·silu(a), da = b·(g·s + db − db·s), since silu′ = s + silu·(1 − s). s and silu(a)
 * are computed again rather than kept, which saves a quarter of a layer's activations.
 */
export const swiGluRule: VjpRule = (g, operation, grads) => {
  const grad = firstGrad(operation, grads)
  const [gate, up] = [inputAt(operation, 0), inputAt(operation, 1)]
  const sigma = sigmoid(g, gate)
  const gradUp = mul(g, grad, mul(g, gate, sigma))
  const slope = sub(g, add(g, mul(g, grad, sigma), gradUp), mul(g, gradUp, sigma))
  return [mul(g, up, slope), gradUp]
}
