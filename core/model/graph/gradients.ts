import { elementCount, type GraphBuilder } from './builder.ts'
import { add } from './ops/elementwise.ts'
import { negativeDivergenceRule } from './rules/divergence.ts'
import * as elementwise from './rules/elementwise.ts'
import { gatherRule } from './rules/indexing.ts'
import * as layout from './rules/layout.ts'
import { loraLinearRule } from './rules/lora-linear.ts'
import { productRule } from './rules/products.ts'
import { reduceSumRule, softmaxRule } from './rules/reductions.ts'
import type { VjpRule } from './rules/rule.ts'
import { tokenLogProbsRule } from './rules/token-log-probs.ts'
import { swiGluRule } from './rules/swiglu.ts'
import { rmsNormRule, rotaryRule } from './rules/transformer.ts'
import type { Operation, Value } from './value.ts'

const RULES: ReadonlyMap<string, VjpRule> = new Map([
  ['Add', elementwise.addRule],
  ['Sub', elementwise.subRule],
  ['Mul', elementwise.mulRule],
  ['Div', elementwise.divRule],
  ['Max', elementwise.maxRule],
  ['Neg', elementwise.negRule],
  ['Log', elementwise.logRule],
  ['Sigmoid', elementwise.sigmoidRule],
  ['MatMul', productRule],
  ['FusedMatMul', productRule],
  ['Gemm', productRule],
  ['Reshape', layout.reshapeRule],
  ['Unsqueeze', layout.reshapeRule],
  ['Transpose', layout.transposeRule],
  ['Expand', layout.expandRule],
  ['Concat', layout.concatRule],
  ['Split', layout.splitRule],
  ['Gather', gatherRule],
  ['ReduceSum', reduceSumRule],
  ['Softmax', softmaxRule],
  ['SimplifiedLayerNormalization', rmsNormRule],
  ['RotaryEmbedding', rotaryRule],
  ['LoraLinear', loraLinearRule],
  ['SwiGlu', swiGluRule],
  ['TokenLogProbs', tokenLogProbsRule],
  ['NegativeDivergence', negativeDivergenceRule],
])

/** Returns the operations that depend on `wrt`, in execution order. */
function dependents(tape: readonly Operation[], wrt: readonly Value[]): { path: Operation[]; active: Set<Value> } {
  const active = new Set<Value>(wrt)
  const path: Operation[] = []
  for (const operation of tape) {
    if (!operation.inputs.some((input) => input !== null && active.has(input))) continue
    path.push(operation)
    for (const output of operation.outputs) active.add(output)
  }
  return { path, active }
}

/**
 * Reverse-mode differentiation (Griewank and Walther 2008, chapter 3): appends to `g` the nodes that compute the
 * gradient of `loss` with respect to each value of `wrt`. Branches that no such value feeds are never differentiated;
 * a value used more than once gets the sum of its gradients. `seed` is the gradient of `loss` itself, 1 for a scalar.
 * A value of `wrt` on which `loss` does not depend is missing from the result. Shapes must be static.
 */
export function gradients(
  g: GraphBuilder,
  loss: Value,
  wrt: readonly Value[],
  seed?: Value,
): ReadonlyMap<Value, Value> {
  if (seed === undefined && elementCount(loss.shape) !== 1) throw new Error('A loss that is not a scalar needs a seed')
  const { path, active } = dependents(g.tape, wrt)
  const start = seed ?? g.floats(Float32Array.of(1), loss.shape)
  g.markGradient(start)
  const grads = new Map<Value, Value>([[loss, start]])
  for (const operation of path.toReversed()) {
    const outputGrads = operation.outputs.map((output) => grads.get(output))
    if (outputGrads.every((grad) => grad === undefined)) continue
    const rule = RULES.get(operation.type)
    if (rule === undefined) throw new Error(`${operation.type} has no derivative`)
    const needs = operation.inputs.map((input) => input !== null && active.has(input))
    for (const [index, grad] of rule(g, operation, outputGrads, needs).entries()) {
      const input = operation.inputs[index]
      if (grad === undefined || input === undefined || input === null || needs[index] !== true) continue
      const known = grads.get(input)
      grads.set(input, known === undefined ? grad : add(g, known, grad))
    }
  }
  return new Map(
    wrt.flatMap((value) => {
      const grad = grads.get(value)
      return grad === undefined ? [] : [[value, grad] as const]
    }),
  )
}
