import type { Expr } from '../ast.ts'
import type { Scalar } from '../names.ts'

const WORD = 'word'

/** Returns a text with each word, between separators, replaced by its entry in a table; words without one stay. */
export function byWords(
  text: Expr,
  separator: string,
  cases: readonly { readonly key: Scalar; readonly value: string }[],
): Expr {
  const word: Expr = { op: 'var', name: WORD }
  const list: Expr = { op: 'split', text, by: { kind: 'literal', text: separator } }
  const sorted = cases.toSorted((a, b) => (String(a.key) < String(b.key) ? -1 : 1))
  const body: Expr = { op: 'lookup', key: word, cases: sorted, default: word }
  return { op: 'join', list: { op: 'map', list, as: WORD, body }, separator: { op: 'literal', value: separator } }
}
