import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../ast.ts'
import type { Value } from '../value-types.ts'
import { compileExpr } from './compile.ts'
import { DEFAULT_FUEL, Failure, Frame } from './frame.ts'

/**
 * Returns a function that evaluates an expression, for search: it gives undefined where there is no answer. The search
 * made the inputs itself, and their bounds are not checked again.
 */
export function evaluatorOf(expr: Expr): (input: Json) => Value | undefined {
  const step = compileExpr(expr)
  return (input) => {
    try {
      return step(new Frame(input, DEFAULT_FUEL))
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }
}
