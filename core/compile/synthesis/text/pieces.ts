import type { Pos } from '../../language/ast.ts'
import type { Matches } from '../../language/primitives/text/tokens.ts'
import { absPos, literalPattern, matchPos, slice, splitItem } from '../search/build.ts'
import type { TextNode } from '../search/node.ts'
import { textBy } from '../search/derived.ts'
import { nodeOf, type SourcePattern, type TextSource } from './source.ts'
import { labelledPieces, lineHeads, markedPieces, wellKnownPieces } from './known-pieces.ts'
import type { FeatureName } from '../ranking/cost.ts'

const MAX_PIECES_PER_PATTERN = 6
const MAX_FROM_END = 4
const BRACKETS = ['()', '[]', '{}', '<>', '""', "''", '“”', '**', '__', '||'] as const
const EXTRACTS: Readonly<Record<string, FeatureName>> = {
  number: 'extract.number',
  digits: 'extract.digits',
  word: 'extract.word',
  alpha: 'extract.alpha',
  nonspace: 'extract.nonspace',
  upper: 'extract.upper',
  proper: 'extract.proper',
  lower: 'extract.lower',
  alnum: 'extract.alnum',
  line: 'extract.line',
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
  const base = source.cost.with('split.delimiter.character', by.name.length - 1)
  for (let k = 0; k < Math.min(longest, MAX_PIECES_PER_PATTERN); k++) {
    const cost = k === 0 ? base.with('split.first') : base.with('split.item').with('split.item.place', k)
    yield { expr: splitItem(source.expr, by.pattern, k), cost, values: rows.map((segments) => segments?.[k]) }
  }
  for (let k = 1; k <= Math.min(longest, MAX_FROM_END); k++) {
    const cost = base.with('split.last').with('split.last.place', k - 1)
    yield { expr: splitItem(source.expr, by.pattern, -k), cost, values: rows.map((segments) => segments?.at(-k)) }
  }
  const start = absPos('start', 0)
  const end = absPos('end', 0)
  const cut = (occurrence: number, side: 'before' | 'after', feature: FeatureName): TextNode => ({
    expr:
      side === 'before'
        ? slice(source.expr, start, matchPos(by.pattern, occurrence, 'start'))
        : slice(source.expr, matchPos(by.pattern, occurrence, 'end'), end),
    cost: base.with(feature),
    values: source.texts.map((text, row) => {
      const matches = by.matches[row]
      if (text === undefined || matches === undefined) return undefined
      const index = occurrence > 0 ? occurrence - 1 : matches.length / 2 + occurrence
      if (index < 0 || index * 2 >= matches.length) return undefined
      return side === 'before' ? text.slice(0, matches[index * 2]) : text.slice(matches[index * 2 + 1])
    }),
  })
  if (longest <= 1) return
  yield cut(-1, 'before', 'cut.beforeLast')
  yield cut(1, 'after', 'cut.afterFirst')
  if (longest <= 2) return
  yield cut(2, 'before', 'cut.beforeSecond')
  yield cut(-2, 'after', 'cut.afterSecondLast')
  yield cut(2, 'after', 'cut.afterSecond')
  yield cut(-2, 'before', 'cut.beforeSecondLast')
}

function* extractPieces(source: TextSource, token: SourcePattern): Generator<TextNode> {
  const feature = EXTRACTS[token.name]
  if (feature === undefined) return
  const at = (text: string | undefined, matches: Matches | undefined, occurrence: number) => {
    if (text === undefined || matches === undefined) return undefined
    const index = occurrence > 0 ? occurrence - 1 : matches.length / 2 + occurrence
    return index < 0 || index * 2 >= matches.length ? undefined : text.slice(matches[index * 2], matches[index * 2 + 1])
  }
  const longest = token.matches.reduce((max, matches) => Math.max(max, (matches?.length ?? 0) / 2), 0)
  for (let k = 1; k <= Math.min(longest, MAX_PIECES_PER_PATTERN); k++) {
    const base = source.cost.with(feature).with('extract.place', k === 1 ? 0 : k)
    for (const occurrence of k <= MAX_FROM_END ? [k, -k] : [k]) {
      yield {
        expr: { op: 'extract', text: source.expr, pattern: token.pattern, occurrence },
        cost: base.when(occurrence < 0, 'extract.fromEnd'),
        values: source.texts.map((text, row) => at(text, token.matches[row], occurrence)),
      }
    }
  }
}

function* bracketPieces(source: TextSource): Generator<TextNode> {
  for (const [open, close] of BRACKETS.map((pair) => [pair.slice(0, 1), pair.slice(1)] as const)) {
    if (!source.texts.some((text) => text?.includes(open) === true)) continue
    const start = matchPos(literalPattern(open), 1, 'end')
    const end: Pos = { op: 'seekPos', base: start, pattern: literalPattern(close), occurrence: 1, edge: 'start' }
    const node = textBy((text) => slice(text, start, end))(nodeOf(source), source.cost.with('slice.brackets'))
    if (node.values.some((value) => value !== undefined)) yield node
  }
}

/**
 * Yields the pieces that people name: parts of a split, the text before or after a delimiter, tokens, bracketed parts.
 */
export function* namedPieces(source: TextSource): Generator<TextNode> {
  for (const by of source.delimiters) yield* splitPieces(source, by)
  for (const by of source.words)
    if (by.name.length > 1) yield* splitPieces({ ...source, cost: source.cost.with('split.word') }, by)
  for (const token of source.tokens) yield* extractPieces(source, token)
  yield* bracketPieces(source)
  yield* wellKnownPieces(source)
  yield* labelledPieces(source)
  yield* markedPieces(source)
  yield* lineHeads(source)
}
