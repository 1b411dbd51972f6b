import type { Expr } from '../../language/ast.ts'
import type { TextNode } from '../search/node.ts'
import { mapValues } from '../search/node.ts'
import { evaluatorOf } from '../../language/evaluate/columns.ts'
import type { FeatureName } from '../ranking/cost.ts'
import { absPos, concat, INPUT, slice } from '../search/build.ts'

const HAS_LETTER = /\p{L}/u

/** A change of a whole text: as an expression, and on values. */
export interface TextChange {
  readonly feature: FeatureName
  readonly build: (text: Expr) => Expr
  readonly apply: (text: string) => string
}

/** A change that the language's own evaluation applies. */
export function changeBy(feature: FeatureName, build: (text: Expr) => Expr): TextChange {
  const evaluate = evaluatorOf(build(INPUT))
  return {
    feature,
    build,
    apply(text) {
      const answer = evaluate(text)
      return typeof answer === 'string' ? answer : text
    },
  }
}

/** The letter cases of the language. */
export const LETTER_CASES: readonly TextChange[] = [
  changeBy('case.lower', (text) => ({ op: 'lower', text })),
  changeBy('case.upper', (text) => ({ op: 'upper', text })),
  changeBy('case.title', (text) => ({ op: 'title', text })),
  changeBy('case.titleBySpace', (text) => ({ op: 'title', text, words: 'space' })),
  changeBy('case.sentence', (text) => ({ op: 'sentence', text })),
  changeBy('case.capitalise', (text) => ({ op: 'capitalise', text })),
  changeBy('case.titleByLetters', (text) => ({ op: 'title', text, words: 'letters' })),
]

/** The node in other letter cases. */
export function* casedPieces({ expr, cost, values }: TextNode): Generator<TextNode> {
  if (!values.some((value) => value !== undefined && HAS_LETTER.test(value))) return
  for (const { feature, build, apply } of LETTER_CASES) {
    yield { expr: build(expr), cost: cost.with(feature), values: mapValues(values, apply) }
  }
}

/** The text with its first character in lower case. */
export function decapitalisedExpr(text: Expr): Expr {
  const first = slice(text, absPos('start', 0), absPos('start', 1))
  return concat([{ op: 'lower', text: first }, slice(text, absPos('start', 1), absPos('end', 0))])
}

/** The first and the last characters of the node, 1 to 4 of them. */
export function* endPieces({ expr, cost, values }: TextNode): Generator<TextNode> {
  const longest = values.reduce((max, value) => Math.max(max, value?.length ?? 0), 0)
  for (let n = 1; n <= Math.min(4, longest); n++) {
    const end = n === 1 ? cost.with('end.character') : cost.with('end.characters').with('end.characters.each', n)
    yield {
      expr: slice(expr, absPos('start', 0), absPos('start', n)),
      cost: end,
      values: mapValues(values, (v) => (v.length < n ? undefined : v.slice(0, n))),
    }
    yield {
      expr: slice(expr, absPos('end', n), absPos('end', 0)),
      cost: end.with('end.last'),
      values: mapValues(values, (v) => (v.length < n ? undefined : v.slice(-n))),
    }
  }
}
