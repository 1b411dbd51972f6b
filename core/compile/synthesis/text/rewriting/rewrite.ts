import { LRUCache } from 'lru-cache'
import type { Expr, Pattern } from '../../../language/ast.ts'
import { evaluatorOf, keyOfBuild } from '../../../language/evaluate/columns.ts'
import { literal } from '../../search/build.ts'
import type { Cost } from '../../ranking/cost.ts'

/** A text with all that a pattern finds in it replaced. */
export function replacing(text: Expr, find: Pattern, by: string): Expr {
  return { op: 'replace', text, find, with: literal(by) }
}

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
/** The answers of each rewrite that has some. */
const filled = new Set<Map<string, string>>()

/** A rewrite as the language evaluates it; a text without an answer stays as it is. */
export function rewriteBy(cost: Cost, build: (text: Expr) => Expr): Rewrite {
  const key = keyOfBuild(build)
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
  return (text) => {
    if (text.length > MAX_KEPT_LENGTH) return answerOf(text)
    const known = answers.get(text)
    if (known !== undefined) return known
    // A copy: V8 keeps the whole of a long text for a part that was cut out of it.
    const own = ` ${text}`.slice(1)
    const answer = answerOf(own)
    keep(answers, own, answer)
    return answer
  }
}

/** Keeps an answer, and drops all of all rewrites when they reach their limit. */
function keep(answers: Map<string, string>, text: string, answer: string): void {
  keptUnits += text.length + answer.length + ANSWER_UNITS
  if (keptUnits >= MAX_KEPT_UNITS) {
    for (const each of filled) each.clear()
    filled.clear()
    keptUnits = 0
  }
  filled.add(answers)
  answers.set(text, answer)
}

/**
 * Returns true when the new text is the start of the old one: it can be cut from any word and need not be memorised.
 */
export function isShortened(from: string, to: string): boolean {
  const [word, short] = [from, to].map((text) => text.replace(/[^\p{L}\p{N}]/gu, ''))
  return word !== undefined && short !== undefined && short !== '' && word !== short && word.startsWith(short)
}
