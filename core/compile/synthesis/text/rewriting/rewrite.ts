import type { Expr } from '../../../language/ast.ts'
import { evaluatorOf } from '../../../language/evaluate/columns.ts'
import type { Cost } from '../../ranking/cost.ts'

/** One way to rewrite a whole text. */
export interface Rewrite {
  readonly cost: Cost
  readonly build: (text: Expr) => Expr
  readonly apply: (text: string) => string
}

/** A rewrite as the language evaluates it; a text without an answer stays as it is. */
export function rewriteBy(cost: Cost, build: (text: Expr) => Expr): Rewrite {
  const evaluate = evaluatorOf(build)
  return {
    cost,
    build,
    apply(text) {
      const answer = evaluate(text)
      return typeof answer === 'string' ? answer : text
    },
  }
}
