import type { GraphBuilder } from '../builder.ts'
import type { Operation, Value } from '../value.ts'

/**
 * Vector-Jacobian product of one operator: from the gradient of each output (absent for an output without dependents)
 * the gradient of each input. Entries whose `needs` is false may be left out, which saves their cost.
 */
export type VjpRule = (
  g: GraphBuilder,
  operation: Operation,
  grads: readonly (Value | undefined)[],
  needs: readonly boolean[],
) => readonly (Value | undefined)[]

/** The n-th input, which the operator always has. */
export function inputAt(operation: Operation, index: number): Value {
  const value = operation.inputs[index]
  if (value === undefined || value === null) throw new Error(`${operation.type} has no input ${index}`)
  return value
}

export function outputAt(operation: Operation, index: number): Value {
  const value = operation.outputs[index]
  if (value === undefined) throw new Error(`${operation.type} has no output ${index}`)
  return value
}

/** The gradient of the first output; rules run only when some output has one. */
export function firstGrad(operation: Operation, grads: readonly (Value | undefined)[]): Value {
  const [grad] = grads
  if (grad === undefined) throw new Error(`Only the first output of ${operation.type} can be differentiated`)
  return grad
}

/** An integer attribute, 0 when absent. */
export function intAttribute(operation: Operation, name: string): number {
  const attribute = operation.attributes[name]
  return attribute !== undefined && 'int' in attribute ? attribute.int : 0
}

export function floatAttribute(operation: Operation, name: string, fallback: number): number {
  const attribute = operation.attributes[name]
  return attribute !== undefined && 'float' in attribute ? attribute.float : fallback
}
