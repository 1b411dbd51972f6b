import { literal, literalPattern } from '../search/build.ts'
import { textBy } from '../search/derived.ts'
import type { TextNode } from '../search/node.ts'
import { constantCost } from './constants.ts'

const NOTHING = new Set<string>()
const MAX_PIECES = 80
const MAX_LENGTH = 16

/** Returns the surplus of the piece at one end, where it is the same on all rows that have one. */
function extraOf(
  piece: TextNode,
  outputs: readonly string[],
  side: 'start' | 'end',
): { text: string; rows: number } | undefined {
  let extra: string | undefined
  let rows = 0
  let exact = 0
  for (const [row, output] of outputs.entries()) {
    const value = piece.values[row]
    if (value === undefined || output === '') return undefined
    if (value === output) {
      exact++
      continue
    }
    if (value.length - output.length > MAX_LENGTH) return undefined
    if (side === 'start' ? !value.endsWith(output) : !value.startsWith(output)) return undefined
    const found = side === 'start' ? value.slice(0, value.length - output.length) : value.slice(output.length)
    if (extra !== undefined && extra !== found) return undefined
    extra = found
    rows++
  }
  return extra === undefined || exact === 0 ? undefined : { text: extra, rows }
}

/** Pieces that are the output but for a constant at the start or end which only some rows have. */
export function withoutOptionalAffixes(pieces: readonly TextNode[], outputs: readonly string[]): TextNode[] {
  const out: TextNode[] = []
  for (const piece of pieces.slice(0, MAX_PIECES)) {
    for (const side of ['start', 'end'] as const) {
      const extra = extraOf(piece, outputs, side)
      if (extra === undefined) continue
      const occurrence = side === 'start' ? 1 : -1
      const isLone = extra.rows === 1 && /[\p{L}\p{N}]/u.test(extra.text)
      const cost = piece.cost
        .with('optionalAffix')
        .when(isLone, 'optionalAffix.oneRow')
        .plus(constantCost(extra.text, { support: extra.rows, copyable: NOTHING }))
      const find = literalPattern(extra.text)
      out.push(textBy((text) => ({ op: 'replace', text, find, with: literal(''), occurrence }))(piece, cost))
    }
  }
  return out
}
