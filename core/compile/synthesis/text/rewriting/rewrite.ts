import type { Expr } from '../../../language/ast.ts'
import { evaluatorOf } from '../../../language/evaluate/columns.ts'
import type { Cost } from '../../ranking/cost.ts'

/** One way to rewrite a whole text. */
export interface Rewrite {
  readonly cost: Cost
  readonly build: (text: Expr) => Expr
  readonly apply: (text: string) => string
}

/**
 * UTF-16 units that the texts and answers which the rewrites of a thread remember may have, all together, with an allowance
 * for each pair: a search and its folds rewrite the same texts again and again.
 */
const MAX_KEPT_UNITS = 20_000_000
const PAIR_UNITS = 50
/** Longer texts are not remembered. */
const MAX_KEPT_LENGTH = 200

let keptUnits = 0
/** Counts how often the limit was reached; texts of an earlier age are forgotten. */
let age = 0

/** A rewrite as the language evaluates it; a text without an answer stays as it is. */
export function rewriteBy(cost: Cost, build: (text: Expr) => Expr): Rewrite {
  const evaluate = evaluatorOf(build)
  const rewrite = (text: string): string => {
    const answer = evaluate(text)
    return typeof answer === 'string' ? answer : text
  }
  const kept = new Map<string, string>()
  let keptAge = age
  return {
    cost,
    build,
    apply(text) {
      if (text.length > MAX_KEPT_LENGTH) return rewrite(text)
      if (keptAge !== age) kept.clear()
      keptAge = age
      const known = kept.get(text)
      if (known !== undefined) return known
      const answer = rewrite(text)
      kept.set(text, answer)
      keptUnits += text.length + answer.length + PAIR_UNITS
      if (keptUnits >= MAX_KEPT_UNITS) {
        keptUnits = 0
        age += 1
      }
      return answer
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
