import type { Budget } from '../search/budget.ts'
import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { absPos, slice } from '../search/build.ts'
import { replacing } from './rewriting/rewrite.ts'
import { textBy } from '../search/derived.ts'
import { NodePool, textVectorKey, type TextNode } from '../search/node.ts'
import type { Scope } from '../search/scope.ts'
import { casedPieces, endPieces } from './casing.ts'
import type { SlicedSource, EdgeSources, Witness } from './edges.ts'
import { decimalPieces } from './known-pieces.ts'
import { namedPieces } from './pieces.ts'
import { withoutOptionalAffixes } from './optional-affixes.ts'
import { paddedPieces } from './padding.ts'
import { positionsIn } from './positions.ts'
import { shapedPieces } from './shape-pieces.ts'
import { nodeOf, textSource, type TextSource } from './source.ts'
import { byCost } from '../ranking/cost.ts'
import { shownOf } from '../search/unlabelled.ts'

/** Everything that a text output can be put together from, over all working rows. */
export interface TextSpace extends EdgeSources {
  /** The text inputs and their pieces, whether or not the outputs hold them: numbers and dates are read from these. */
  readonly pieces: readonly TextNode[]
  readonly sources: readonly TextSource[]
}

const MAX_SOURCES = 24
const MAX_SLICED = 8
const MAX_PIECES = 900
const MAX_CASED = 260
/** Of so many texts, one may lack the number that the others have. */
const MOST_NUMBERED = 4
const MAX_RECUT = 36
const ALNUM_RUN = /[\p{L}\p{N}]{2,}/gu
const LETTERS = /\p{L}{2,}/gu

/** Returns true when some row's output holds the node's text. */
function isUseful(node: TextNode, outputs: readonly string[]): boolean {
  return node.values.some((value, row) => value !== undefined && value !== '' && (outputs[row] ?? '').includes(value))
}

function charsOf(text: Expr, name: 'digit' | 'alnum'): Expr {
  return { op: 'keepChars', text, set: { classes: [name] } }
}

const DIGITS = textBy((text) => charsOf(text, 'digit'))
const UNMARKED = textBy((text) => charsOf(text, 'alnum'))
const TRIMMED = textBy((text) => ({ op: 'trim', text: { op: 'collapseSpace', text } }))
const ASCII_DIGITS = textBy((text) => ({ op: 'normalize', text, form: 'asciiDigits' }))

/** The texts with digits, where nearly all have some: the others stand for a number that is missing. */
function withDigits(texts: readonly string[]): readonly string[] {
  const found = texts.filter((text) => /\d/.test(text))
  return found.length * MOST_NUMBERED >= texts.length * (MOST_NUMBERED - 1) ? found : []
}

/** The text without the digits' surroundings, and without stray spaces, where rows have such. */
function cleanedViews(text: TextNode, shown: number): TextNode[] {
  const { cost, values } = text
  const views: TextNode[] = []
  const present = shownOf(values, shown).filter((value) => value !== undefined)
  const numbered = withDigits(present)
  const isNumbered = numbered.length > 0 && numbered.every((value) => (value.match(/\d/g)?.length ?? 0) >= 4)
  if (isNumbered && present.some((value) => /\d[^\d]+\d/.test(value)))
    views.push(DIGITS(text, cost.with('view.digits')))
  if (haveOptionalMarks(present)) views.push(UNMARKED(text, cost.with('view.unmarked')))
  if (present.some((value) => /^\s|\s$|\s\s/.test(value))) views.push(TRIMMED(text, cost.with('view.trimmed')))
  const ascii = ASCII_DIGITS(text, cost.with('view.asciiDigits'))
  if (ascii.values.some((value, row) => value !== values[row])) views.push(ascii)
  return [...views, ...lastDigits(text, shown), ...withoutPrefix(text, shown)]
}

/** True for codes of letters and digits of one length, which only some rows write with marks, or with other ones. */
function haveOptionalMarks(texts: readonly string[]): boolean {
  const bare = texts.map((text) => text.replaceAll(/[^\p{L}\p{N}]/gu, ''))
  const marks = new Set(texts.map((text) => text.replaceAll(/[\p{L}\p{N}]+/gu, '')))
  return (
    marks.size > 1 && new Set(bare.map((text) => text.length)).size === 1 && bare.some((text) => /\p{L}/u.test(text))
  )
}

/** The last digits, as many as every row has: a number without the code that only some rows put before it. */
function lastDigits(text: TextNode, shown: number): TextNode[] {
  const present = shownOf(text.values, shown).filter((value) => value !== undefined)
  const digits = withDigits(present).map((value) => value.replace(/[^0-9]/g, ''))
  const lengths = digits.map((value) => value.length)
  const shortest = Math.min(...lengths)
  if (lengths.length < 2 || shortest < 7 || Math.max(...lengths) > shortest + 3 || new Set(lengths).size < 2) return []
  const last = textBy((of) => slice(charsOf(of, 'digit'), absPos('end', shortest), absPos('end', 0)))
  return [last(text, text.cost.with('view.lastDigits'))]
}

/** Returns the rest after letters or digits that all rows start with, where no separator marks it: `ff` in `0xff`. */
function withoutPrefix(text: TextNode, shown: number): TextNode[] {
  const present = shownOf(text.values, shown).filter((value) => value !== undefined)
  const first = present[0] ?? ''
  let length = 0
  while (length < first.length && present.every((value) => value.charAt(length) === first.charAt(length))) length++
  const prefix = /^[\p{L}\p{N}]*\p{L}/u.exec(first.slice(0, length))?.[0].length ?? 0
  if (present.length < 3 || prefix === 0 || present.some((value) => !/^[\p{L}\p{N}]+$/u.test(value))) return []
  const rest = textBy((of) => slice(of, absPos('start', prefix), absPos('end', 0)))
  return [rest(text, text.cost.with('view.withoutPrefix'))]
}

/** One text with another one removed from it. */
const WITHOUT = textBy((text, other) => replacing(text, { kind: 'text', text: other }, ''))
const WRITTEN = textBy((of) => ({ op: 'toText', of }))

const CENTS = /^-?\d+\.\d\d$/
const MIN_CENTS = 3

/** True where several numbers have two decimals each: amounts, of which others end in a zero that a number does not keep. */
function areCents(values: readonly (Json | undefined)[]): boolean {
  return values.length >= MIN_CENTS && values.every((value) => value === undefined || CENTS.test(JSON.stringify(value)))
}

/** Texts as they are, numbers and booleans as texts. */
export function textRoots(scope: Scope): TextNode[] {
  const converted = [...scope.numbers, ...scope.booleans].map((node) =>
    WRITTEN(
      node,
      node.cost.with('toText').when(areCents(shownOf<Json | undefined>(node.values, scope.shown)), 'toText.cents'),
    ),
  )
  return [...scope.texts, ...converted].slice(0, MAX_SOURCES)
}

const CASES = (['lower', 'upper'] as const).map(
  (op) =>
    ({
      feature: `case.${op}`,
      cased: textBy((text) => ({ op, text })),
    }) as const,
)

/** Runs of letters and digits, and both ends of runs of letters: parts of words that stand beside one another. */
function wordParts(output: string): string[] {
  const letters = output.match(LETTERS) ?? []
  return [...(output.match(ALNUM_RUN) ?? []), ...letters.flatMap((run) => [run.slice(0, 2), run.slice(-2)])]
}

/** Returns true when outputs hold parts of words of the source that it has in another letter case alone. */
function changesCase({ texts }: TextSource, { values }: TextNode, outputs: readonly string[]): boolean {
  return texts.some((text, row) =>
    wordParts(outputs[row] ?? '').some(
      (part) => text?.includes(part) === false && values[row]?.includes(part) === true,
    ),
  )
}

function casedViews(source: TextSource, outputs: readonly string[]): TextSource[] {
  return CASES.map(({ feature, cased }) => cased(nodeOf(source), source.cost.with(feature)))
    .filter((view) => changesCase(source, view, outputs))
    .map(({ expr, cost, values }) => textSource(expr, cost, values, source.shown))
}

/**
 * Cuts the text inputs into pieces, recuts and recases the pieces, and keeps those that occur in the outputs. `extra`
 * are nodes of other kinds (dates, rewritten texts) that may occur in an output too.
 */
export function buildTextSpace(
  scope: Scope,
  outputs: readonly string[],
  witnesses: readonly Witness[],
  budget: Budget,
): TextSpace {
  const { shown } = scope
  const pool = new NodePool<string>(textVectorKey, shown)
  const pieces: TextNode[] = []
  const take = (node: TextNode) => {
    if (pool.add(node)) pieces.push(node)
  }
  const roots = textRoots(scope)
  roots.forEach(take)
  const sources = roots
    .flatMap((root) => [root, ...cleanedViews(root, shown)])
    .map((root) => textSource(root.expr, root.cost, root.values, shown))
  for (const root of roots) cleanedViews(root, shown).forEach(take)
  for (const source of sources) {
    for (const piece of namedPieces(source)) {
      budget.spend(1)
      if (pieces.length < MAX_PIECES) take(piece)
    }
  }
  for (const source of sources) shapedPieces(source, outputs).forEach(take)
  const cut = pool.best().toSorted(byCost)

  const nodes = new NodePool<string>(textVectorKey)
  const use = (node: TextNode) => {
    budget.spend(1)
    if (isUseful(node, outputs)) nodes.add(node)
  }
  pool.all().forEach(use)
  for (const piece of cut.slice(0, MAX_RECUT)) {
    const isLong = piece.values.some((value) => value !== undefined && value.length > 4)
    if (!isLong || roots.some((root) => root.expr === piece.expr)) continue
    for (const inner of namedPieces(textSource(piece.expr, piece.cost, piece.values, shown))) {
      budget.spend(1)
      if (!isUseful(inner, outputs)) continue
      nodes.add(inner)
      for (const cased of casedPieces(inner)) use(cased)
    }
  }
  for (const piece of cut.slice(0, MAX_CASED)) {
    const ends = [...endPieces(piece)]
    ends.forEach(use)
    for (const cased of [piece, ...ends.slice(0, 2)].flatMap((part) => [...casedPieces(part)])) use(cased)
  }
  for (const piece of cut.slice(0, MAX_RECUT))
    for (const end of [...endPieces(piece)].slice(2))
      for (const { feature, cased } of CASES) use(cased(end, end.cost.with(feature)))
  const short = cut.filter(({ values }) =>
    shownOf(values, shown).every((value) => value === undefined || value.length <= 24),
  )
  const decimals = sources.flatMap((source) => [...decimalPieces(source)])
  decimals.forEach(use)
  paddedPieces(
    [...decimals, ...short.slice(0, 16), ...short.slice(0, 4).flatMap((piece) => [...endPieces(piece)])],
    roots,
    outputs,
  ).forEach(use)
  withoutOptionalAffixes(cut, outputs).forEach(use)
  for (const a of roots.slice(0, 4))
    for (const b of roots.slice(0, 4)) if (a !== b) use(WITHOUT(a, a.cost.plus(b.cost).with('replace.otherText'), b))
  const sliced: SlicedSource[] = sources
    .slice(0, MAX_SLICED)
    .flatMap((source) => [source, ...casedViews(source, outputs)])
    .map((source) => ({ source, positions: positionsIn(source) }))
  for (const { positions } of sliced) budget.spend(positions.length)
  return { outputs, rows: scope, nodes: nodes.all(), sliced, witnesses, pieces: cut, sources }
}
