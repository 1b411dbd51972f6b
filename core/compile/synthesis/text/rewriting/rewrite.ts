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

/**
 * Returns true when the new text is the start of the old one: it can be cut from any word and need not be memorised.
 */
export function isShortened(from: string, to: string): boolean {
  const [word, short] = [from, to].map((text) => text.replace(/[^\p{L}\p{N}]/gu, ''))
  return word !== undefined && short !== undefined && short !== '' && word !== short && word.startsWith(short)
}
