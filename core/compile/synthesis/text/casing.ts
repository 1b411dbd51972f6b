import type { Expr } from '../../language/ast.ts'
import type { TextNode } from '../search/node.ts'
import { mapValues } from '../search/node.ts'
import { capitaliseText, sentenceText, titleText } from '../../language/primitives/text/casing.ts'
import { absPos, concat, slice } from '../search/build.ts'

const HAS_LETTER = /\p{L}/u

/** The node in other letter cases. */
export function* casedPieces({ expr, cost, values }: TextNode): Generator<TextNode> {
  if (!values.some((value) => value !== undefined && HAS_LETTER.test(value))) return
  yield {
    expr: { op: 'lower', text: expr },
    cost: cost.with('case.lower'),
    values: mapValues(values, (v) => v.toLowerCase()),
  }
  yield {
    expr: { op: 'upper', text: expr },
    cost: cost.with('case.upper'),
    values: mapValues(values, (v) => v.toUpperCase()),
  }
  yield {
    expr: { op: 'title', text: expr },
    cost: cost.with('case.title'),
    values: mapValues(values, (v) => titleText(v, 'word')),
  }
  yield {
    expr: { op: 'title', text: expr, words: 'space' },
    cost: cost.with('case.titleBySpace'),
    values: mapValues(values, (v) => titleText(v, 'space')),
  }
  yield {
    expr: { op: 'sentence', text: expr },
    cost: cost.with('case.sentence'),
    values: mapValues(values, sentenceText),
  }
  yield {
    expr: { op: 'capitalise', text: expr },
    cost: cost.with('case.capitalise'),
    values: mapValues(values, capitaliseText),
  }
  yield {
    expr: { op: 'title', text: expr, words: 'letters' },
    cost: cost.with('case.titleByLetters'),
    values: mapValues(values, (v) => titleText(v, 'letters')),
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
