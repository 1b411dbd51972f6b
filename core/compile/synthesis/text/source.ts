import type { Expr, Pattern } from '../../language/ast.ts'
import type { TokenName } from '../../language/names.ts'
import { literalMatches, tokenMatches, type Matches } from '../../language/primitives/text/tokens.ts'
import { literalPattern, tokenPattern } from '../search/build.ts'
import type { Cost } from '../ranking/cost.ts'
import type { TextNode } from '../search/node.ts'
import { shownOf } from '../search/unlabelled.ts'

/** A pattern with its matches in one source, row by row; `undefined` where the source has no text. */
export interface SourcePattern {
  readonly pattern: Pattern
  readonly kind: 'delimiter' | 'word' | 'token'
  readonly name: string
  readonly matches: readonly (Matches | undefined)[]
  /** Rows with a target that have a match. */
  readonly rows: number
}

/** A text vector that is cut into pieces. */
export interface TextSource {
  readonly expr: Expr
  readonly cost: Cost
  readonly texts: readonly (string | undefined)[]
  /** The first texts are those of rows with a target; the patterns are theirs. */
  readonly shown: number
  readonly delimiters: readonly SourcePattern[]
  readonly words: readonly SourcePattern[]
  readonly tokens: readonly SourcePattern[]
}

/** The source as the node that it was made of. */
export function nodeOf({ expr, cost, texts }: TextSource): TextNode {
  return { expr, cost, values: texts }
}

const TOKENS: readonly TokenName[] = [
  'number',
  'digits',
  'word',
  'alpha',
  'nonspace',
  'upper',
  'proper',
  'lower',
  'alnum',
  'space',
  'punct',
  'line',
]
const MAX_DELIMITERS = 14
const MAX_WORDS = 10
const NON_ALNUM_RUN = /[^\p{L}\p{N}]+/gu
const WORD = /[\p{L}\p{N}]{2,}/gu

function countRows(
  texts: readonly (string | undefined)[],
  find: (text: string) => Iterable<string>,
): Map<string, number> {
  const rows = new Map<string, number>()
  for (const text of texts) {
    if (text === undefined) continue
    for (const found of new Set(find(text))) rows.set(found, (rows.get(found) ?? 0) + 1)
  }
  return rows
}

function* delimitersIn(text: string): Generator<string> {
  for (const [run] of text.matchAll(NON_ALNUM_RUN)) {
    yield* run
    if (run.length > 1 && run.length <= 4) {
      yield run
      // `, "` holds the delimiter `, ` too.
      if (run.length > 2) {
        yield run.slice(0, 2)
        yield run.slice(-2)
      }
    }
  }
}

function* wordsIn(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) yield word
}

function mostCommon(rows: ReadonlyMap<string, number>, atLeast: number, limit: number): string[] {
  return [...rows]
    .filter(([, count]) => count >= atLeast)
    .toSorted(([a, rowsA], [b, rowsB]) => rowsB - rowsA || (a < b ? -1 : a > b ? 1 : 0))
    .slice(0, limit)
    .map(([name]) => name)
}

function patternOf(
  texts: readonly (string | undefined)[],
  kind: SourcePattern['kind'],
  name: string,
  pattern: Pattern,
  find: (text: string) => Matches,
  shown: number,
): SourcePattern {
  const matches = texts.map((text) => (text === undefined ? undefined : find(text)))
  let rows = 0
  for (const found of shownOf(matches, shown)) if (found !== undefined && found.length > 0) rows++
  return { pattern, kind, name, matches, rows }
}

/** Finds the patterns by which a text vector can be cut: its delimiters, words that rows share, and the named tokens. */
export function textSource(expr: Expr, cost: Cost, texts: readonly (string | undefined)[], shown: number): TextSource {
  const given = shownOf(texts, shown)
  const present = given.filter((text) => text !== undefined).length
  const literals = (kind: 'delimiter' | 'word', names: readonly string[]) =>
    names.map((name) => patternOf(texts, kind, name, literalPattern(name), (text) => literalMatches(text, name), shown))
  const delimiters = literals('delimiter', mostCommon(countRows(given, delimitersIn), 1, MAX_DELIMITERS))
  const words = literals('word', mostCommon(countRows(given, wordsIn), Math.max(2, Math.ceil(present / 2)), MAX_WORDS))
  const tokens = TOKENS.map((name) =>
    patternOf(texts, 'token', name, tokenPattern(name), (text) => tokenMatches(text, name), shown),
  )
  return { expr, cost, texts, shown, delimiters, words, tokens: tokens.filter((token) => token.rows > 0) }
}
