import type { Expr } from '../../../language/ast.ts'

/** One way to rewrite a whole text. */
export interface Rewrite {
  readonly cost: number
  readonly build: (text: Expr) => Expr
  readonly apply: (text: string) => string
}
