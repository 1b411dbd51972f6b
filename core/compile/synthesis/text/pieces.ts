import type { Pos } from '../../language/ast.ts'
import type { Matches } from '../../language/primitives/text/tokens.ts'
import { absPos, matchPos, slice, splitItem } from '../search/build.ts'
import type { TextNode } from '../search/node.ts'
import type { SourcePattern, TextSource } from './source.ts'
import { labelledPieces, markedPieces, wellKnownPieces } from './known-pieces.ts'

const MAX_PIECES_PER_PATTERN = 6
const MAX_FROM_END = 4
const BRACKETS = ['()', '[]', '{}', '<>', '""', "''", '“”', '**', '__', '||'] as const
const EXTRACT_COSTS: Readonly<Record<string, number>> = {
  number: 1.85,
  digits: 1.8,
  word: 2.25,
  alpha: 2.3,
  nonspace: 2.2,
  upper: 2.5,
  proper: 2.4,
  lower: 2.7,
  alnum: 2.4,
  line: 1.9,
}

function segmentsOf(text: string, matches: Matches): string[] {
  const out: string[] = []
  let from = 0
  for (let i = 0; i < matches.length; i += 2) {
    out.push(text.slice(from, matches[i]))
    from = matches[i + 1] ?? from
  }
  out.push(text.slice(from))
  return out
}

function* splitPieces(source: TextSource, by: SourcePattern): Generator<TextNode> {
  const rows = source.texts.map((text, row) => {
    const matches = by.matches[row]
    return text === undefined || matches === undefined ? undefined : segmentsOf(text, matches)
  })
  const longest = rows.reduce((max, segments) => Math.max(max, segments?.length ?? 0), 0)
  const extra = 0.04 * (by.name.length - 1)
  for (let k = 0; k < Math.min(longest, MAX_PIECES_PER_PATTERN); k++) {
    const cost = source.cost + (k === 0 ? 1.8 : 2 + 0.15 * k) + extra
    yield { expr: splitItem(source.expr, by.pattern, k), cost, values: rows.map((segments) => segments?.[k]) }
  }
  for (let k = 1; k <= Math.min(longest, MAX_FROM_END); k++) {
    const cost = source.cost + 1.95 + 0.2 * (k - 1) + extra
    yield { expr: splitItem(source.expr, by.pattern, -k), cost, values: rows.map((segments) => segments?.at(-k)) }
  }
  const start = absPos('start', 0)
  const end = absPos('end', 0)
  const cut = (occurrence: number, side: 'before' | 'after', cost: number): TextNode => ({
    expr:
      side === 'before'
        ? slice(source.expr, start, matchPos(by.pattern, occurrence, 'start'))
        : slice(source.expr, matchPos(by.pattern, occurrence, 'end'), end),
    cost: source.cost + cost + extra,
    values: source.texts.map((text, row) => {
      const matches = by.matches[row]
      if (text === undefined || matches === undefined) return undefined
      const index = occurrence > 0 ? occurrence - 1 : matches.length / 2 + occurrence
      if (index < 0 || index * 2 >= matches.length) return undefined
      return side === 'before' ? text.slice(0, matches[index * 2]) : text.slice(matches[index * 2 + 1])
    }),
  })
  if (longest <= 1) return
  yield cut(-1, 'before', 2.1)
  yield cut(1, 'after', 2.05)
  if (longest <= 2) return
  yield cut(2, 'before', 2.6)
  yield cut(-2, 'after', 2.6)
  yield cut(2, 'after', 2.6)
  yield cut(-2, 'before', 2.7)
}

function* extractPieces(source: TextSource, token: SourcePattern): Generator<TextNode> {
  const base = EXTRACT_COSTS[token.name]
  if (base === undefined) return
  const at = (text: string | undefined, matches: Matches | undefined, occurrence: number) => {
    if (text === undefined || matches === undefined) return undefined
    const index = occurrence > 0 ? occurrence - 1 : matches.length / 2 + occurrence
    return index < 0 || index * 2 >= matches.length ? undefined : text.slice(matches[index * 2], matches[index * 2 + 1])
  }
  const longest = token.matches.reduce((max, matches) => Math.max(max, (matches?.length ?? 0) / 2), 0)
  for (let k = 1; k <= Math.min(longest, MAX_PIECES_PER_PATTERN); k++) {
    for (const occurrence of k <= MAX_FROM_END ? [k, -k] : [k]) {
      const cost = source.cost + base + (k === 1 ? 0 : 0.15 + 0.15 * (k - 1)) + (occurrence < 0 ? 0.12 : 0)
      yield {
        expr: { op: 'extract', text: source.expr, pattern: token.pattern, occurrence },
        cost,
        values: source.texts.map((text, row) => at(text, token.matches[row], occurrence)),
      }
    }
  }
}

function* bracketPieces(source: TextSource): Generator<TextNode> {
  for (const [open, close] of BRACKETS.map((pair) => [pair.slice(0, 1), pair.slice(1)] as const)) {
    const values = source.texts.map((text) => {
      const from = text?.indexOf(open) ?? -1
      const to = text?.indexOf(close, from + 1) ?? -1
      return text === undefined || from < 0 || to < 0 ? undefined : text.slice(from + 1, to)
    })
    if (values.every((value) => value === undefined)) continue
    const start = matchPos({ kind: 'literal', text: open }, 1, 'end')
    const end: Pos = {
      op: 'seekPos',
      base: start,
      pattern: { kind: 'literal', text: close },
      occurrence: 1,
      edge: 'start',
    }
    yield { expr: slice(source.expr, start, end), cost: source.cost + 2, values }
  }
}

/**
 * Yields the pieces that people name: parts of a split, the text before or after a delimiter, tokens, bracketed parts.
 */
export function* namedPieces(source: TextSource): Generator<TextNode> {
  for (const by of source.delimiters) yield* splitPieces(source, by)
  for (const by of source.words) if (by.name.length > 1) yield* splitPieces({ ...source, cost: source.cost + 0.6 }, by)
  for (const token of source.tokens) yield* extractPieces(source, token)
  yield* bracketPieces(source)
  yield* wellKnownPieces(source)
  yield* labelledPieces(source)
  yield* markedPieces(source)
}
