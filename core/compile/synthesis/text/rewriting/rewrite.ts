import { LRUCache } from 'lru-cache'
import { exprJson, type Expr } from '../../../language/ast.ts'
import { evaluatorOf } from '../../../language/evaluate/columns.ts'
import type { Cost } from '../../ranking/cost.ts'

/** One way to rewrite a whole text. */
export interface Rewrite {
  readonly cost: Cost
  readonly build: (text: Expr) => Expr
  readonly apply: (text: string) => string
}

/** Rewrites that are kept with their answers. */
const KEPT_REWRITES = 400
/** UTF-16 units of all answers that are kept, with their texts and an allowance for each. */
const MAX_KEPT_UNITS = 8_000_000
const ANSWER_UNITS = 50
/** Answers to longer texts are not kept, UTF-16 units. */
const MAX_KEPT_LENGTH = 200

// Pure caches, since the folds of a compile search the same texts: dropping entries changes speed only.
const kept = new LRUCache<string, Rewrite['apply']>({ max: KEPT_REWRITES })
let keptUnits = 0
/** Grows when the answers reach their limit: those of an earlier age are dropped. */
let age = 0

/** A rewrite as the language evaluates it; a text without an answer stays as it is. */
export function rewriteBy(cost: Cost, build: (text: Expr) => Expr): Rewrite {
  const key = JSON.stringify(exprJson(build({ op: 'input' })))
  let apply = kept.get(key)
  if (apply === undefined) kept.set(key, (apply = keepAnswers(build)))
  return { cost, build, apply }
}

function keepAnswers(build: (text: Expr) => Expr): Rewrite['apply'] {
  const evaluate = evaluatorOf(build)
  const answerOf = (text: string): string => {
    const answer = evaluate(text)
    return typeof answer === 'string' ? answer : text
  }
  const answers = new Map<string, string>()
  let answersAge = age
  return (text) => {
    if (text.length > MAX_KEPT_LENGTH) return answerOf(text)
    if (answersAge !== age) answers.clear()
    answersAge = age
    const known = answers.get(text)
    if (known !== undefined) return known
    // A copy: V8 keeps the whole of a long text for a part that was cut out of it.
    const own = ` ${text}`.slice(1)
    const answer = answerOf(own)
    answers.set(own, answer)
    keptUnits += own.length + answer.length + ANSWER_UNITS
    if (keptUnits >= MAX_KEPT_UNITS) {
      keptUnits = 0
      age += 1
    }
    return answer
  }
}

/**
 * Returns true when the new text is the start of the old one: it can be cut from any word and need not be memorised.
 */
export function isShortened(from: string, to: string): boolean {
  const [word, short] = [from, to].map((text) => text.replace(/[^\p{L}\p{N}]/gu, ''))
  return word !== undefined && short !== undefined && short !== '' && word !== short && word.startsWith(short)
}
