import type { Expr } from '../../language/ast.ts'
import type { FeatureName } from '../ranking/cost.ts'
import { absPos, concat, slice } from '../search/build.ts'
import { textBy } from '../search/derived.ts'
import type { TextNode } from '../search/node.ts'

const HAS_LETTER = /\p{L}/u

/** The letter cases of the language. */
export const LETTER_CASES: readonly (readonly [FeatureName, (text: Expr) => Expr])[] = [
  ['case.lower', (text) => ({ op: 'lower', text })],
  ['case.upper', (text) => ({ op: 'upper', text })],
  ['case.title', (text) => ({ op: 'title', text })],
  ['case.titleBySpace', (text) => ({ op: 'title', text, words: 'space' })],
  ['case.sentence', (text) => ({ op: 'sentence', text })],
  ['case.capitalise', (text) => ({ op: 'capitalise', text })],
  ['case.titleByLetters', (text) => ({ op: 'title', text, words: 'letters' })],
]
const CASED = LETTER_CASES.map(([feature, build]) => ({ feature, cased: textBy(build) }))

/** The node in other letter cases. */
export function* casedPieces(piece: TextNode): Generator<TextNode> {
  if (!piece.values.some((value) => value !== undefined && HAS_LETTER.test(value))) return
  for (const { feature, cased } of CASED) yield cased(piece, piece.cost.with(feature))
}

/** The text with its first character in lower case. */
export function decapitalisedExpr(text: Expr): Expr {
  const first = slice(text, absPos('start', 0), absPos('start', 1))
  return concat([{ op: 'lower', text: first }, slice(text, absPos('start', 1), absPos('end', 0))])
}

const MAX_END = 4
const ENDS = Array.from({ length: MAX_END }, (_, at) => ({
  first: textBy((text) => slice(text, absPos('start', 0), absPos('start', at + 1))),
  last: textBy((text) => slice(text, absPos('end', at + 1), absPos('end', 0))),
}))

/** The first and the last characters of the node, 1 to 4 of them. */
export function* endPieces(piece: TextNode): Generator<TextNode> {
  const longest = piece.values.reduce((max, value) => Math.max(max, value?.length ?? 0), 0)
  for (const [at, { first, last }] of ENDS.slice(0, longest).entries()) {
    const { cost } = piece
    const end = at === 0 ? cost.with('end.character') : cost.with('end.characters').with('end.characters.each', at + 1)
    yield first(piece, end)
    yield last(piece, end.with('end.last'))
  }
}
