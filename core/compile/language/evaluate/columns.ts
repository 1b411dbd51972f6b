import { type Expr, exprJson } from '../ast.ts'
import type { Value } from '../value-types.ts'
import { ScopedCompiler } from './compile.ts'
import { DEFAULT_FUEL, Failure, Frame } from './frame.ts'

const OF = { op: 'var', name: 'of' } as const
const BY = { op: 'var', name: 'by' } as const

/** An expression over one value, or two. */
export type Build = (of: Expr, by: Expr) => Expr

/** Returns a text that is the same for builds of the same expression. */
export function keyOfBuild(build: Build): string {
  return JSON.stringify(exprJson(build(OF, BY)))
}

/**
 * Returns a function that evaluates an expression over values, for search: it gives undefined where there is no answer.
 * The search made the values itself, and their bounds are not checked again.
 */
export function evaluatorOf(build: Build): (of: Value, by?: Value) => Value | undefined {
  const step = new ScopedCompiler([OF.name, BY.name]).expr(exprJson(build(OF, BY)))
  return (of, by = of) => {
    const frame = new Frame(null, DEFAULT_FUEL)
    frame.bound.push(of, by)
    try {
      return step(frame)
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }
}
