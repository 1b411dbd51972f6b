import type { Expr } from '../../../language/ast.ts'
import type { Cost } from '../../ranking/cost.ts'

/** One way to rewrite a whole text. */
export interface Rewrite {
  readonly cost: Cost
  readonly build: (text: Expr) => Expr
  readonly apply: (text: string) => string
}
