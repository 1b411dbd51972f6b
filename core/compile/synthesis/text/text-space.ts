import type { Budget } from '../search/budget.ts'
import type { Expr } from '../../language/ast.ts'
import { absPos, literal, slice } from '../search/build.ts'
import { mapValues, NodePool, textVectorKey, type TextNode } from '../search/node.ts'
import type { Scope } from '../search/scope.ts'
import { casedPieces, endPieces } from './casing.ts'
import type { SlicedSource, EdgeSources, Witness } from './edges.ts'
import { namedPieces } from './pieces.ts'
import { withoutOptionalAffixes } from './optional-affixes.ts'
import { paddedPieces } from './padding.ts'
import { positionsIn } from './positions.ts'
import { shapedPieces } from './shape-pieces.ts'
import { textSource, type TextSource } from './source.ts'
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
const MAX_RECUT = 36
const ALNUM_RUN = /[\p{L}\p{N}]{2,}/gu

/** Returns true when some row's output holds the node's text. */
function isUseful(node: TextNode, outputs: readonly string[]): boolean {
  return node.values.some((value, row) => value !== undefined && value !== '' && (outputs[row] ?? '').includes(value))
}

/** The text without the digits' surroundings, and without stray spaces, where rows have such. */
function cleanedViews({ expr, cost, values }: TextNode, shown: number): TextNode[] {
  const views: TextNode[] = []
  const present = shownOf(values, shown).filter((value) => value !== undefined)
  if (
    present.some((value) => /\d[^\d]+\d/.test(value)) &&
    present.every((value) => (value.match(/\d/g)?.length ?? 0) >= 4)
  ) {
    views.push({
      expr: { op: 'keepChars', text: expr, set: { classes: ['digit'] } },
      cost: cost.with('view.digits'),
      values: mapValues(values, (value) => value.replace(/[^0-9]/g, '')),
    })
  }
  if (present.some((value) => /^\s|\s$|\s\s/.test(value))) {
    views.push({
      expr: { op: 'trim', text: { op: 'collapseSpace', text: expr } },
      cost: cost.with('view.trimmed'),
      values: mapValues(values, (value) => value.replace(/\s+/g, ' ').trim()),
    })
  }
  views.push(...lastDigits({ expr, cost, values }, shown), ...withoutPrefix({ expr, cost, values }, shown))
  return views
}

/** The last digits, as many as every row has: a number without the code that only some rows put before it. */
function lastDigits({ expr, cost, values }: TextNode, shown: number): TextNode[] {
  const digits = mapValues(values, (value) => value.replace(/[^0-9]/g, ''))
  const lengths = shownOf(digits, shown).flatMap((value) => (value === undefined ? [] : [value.length]))
  const shortest = Math.min(...lengths)
  if (lengths.length < 2 || shortest < 7 || Math.max(...lengths) > shortest + 3 || new Set(lengths).size < 2) return []
  const kept: Expr = { op: 'keepChars', text: expr, set: { classes: ['digit'] } }
  return [
    {
      expr: slice(kept, absPos('end', shortest), absPos('end', 0)),
      cost: cost.with('view.lastDigits'),
      values: mapValues(digits, (value) => (value.length < shortest ? undefined : value.slice(-shortest))),
    },
  ]
}

/** Returns the rest after letters or digits that all rows start with, where no separator marks it: `ff` in `0xff`. */
function withoutPrefix({ expr, cost, values }: TextNode, shown: number): TextNode[] {
  const present = shownOf(values, shown).filter((value) => value !== undefined)
  const first = present[0] ?? ''
  let length = 0
  while (length < first.length && present.every((value) => value.charAt(length) === first.charAt(length))) length++
  const prefix = /^[\p{L}\p{N}]*\p{L}/u.exec(first.slice(0, length))?.[0].length ?? 0
  if (present.length < 3 || prefix === 0 || present.some((value) => !/^[\p{L}\p{N}]+$/u.test(value))) return []
  return [
    {
      expr: slice(expr, absPos('start', prefix), absPos('end', 0)),
      cost: cost.with('view.withoutPrefix'),
      values: mapValues(values, (value) => (value.length < prefix ? undefined : value.slice(prefix))),
    },
  ]
}

/** Returns one text with another one removed from it. */
function without(a: TextNode, b: TextNode): TextNode {
  return {
    expr: { op: 'replace', text: a.expr, find: { kind: 'text', text: b.expr }, with: literal('') },
    cost: a.cost.plus(b.cost).with('replace.otherText'),
    values: a.values.map((value, row) => {
      const other = b.values[row]
      return value === undefined || other === undefined
        ? undefined
        : other === ''
          ? value
          : value.replaceAll(other, () => '')
    }),
  }
}

/** Texts as they are, numbers and booleans as texts. */
export function textRoots(scope: Scope): TextNode[] {
  const converted = [...scope.numbers, ...scope.booleans].map(({ expr, cost, values }): TextNode => ({
    expr: { op: 'toText', of: expr },
    cost: cost.with('toText'),
    values: values.map((value) => (value === undefined ? undefined : String(value))),
  }))
  return [...scope.texts, ...converted].slice(0, MAX_SOURCES)
}

/** Returns true when outputs hold words of the source in another letter case. */
function changesCase(source: TextSource, outputs: readonly string[], toCase: (text: string) => string): boolean {
  return source.texts.some((text, row) => {
    if (text === undefined) return false
    const cased = toCase(text)
    for (const [run] of (outputs[row] ?? '').matchAll(ALNUM_RUN)) {
      if (!text.includes(run) && cased.includes(run)) return true
    }
    return false
  })
}

function casedViews(source: TextSource, outputs: readonly string[]): TextSource[] {
  const views: TextSource[] = []
  const add = (op: 'lower' | 'upper', toCase: (text: string) => string) => {
    if (!changesCase(source, outputs, toCase)) return
    const texts = source.texts.map((text) => (text === undefined ? undefined : toCase(text)))
    views.push(textSource({ op, text: source.expr }, source.cost.with(`case.${op}`), texts, source.shown))
  }
  add('lower', (text) => text.toLowerCase())
  add('upper', (text) => text.toUpperCase())
  return views
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
  const short = cut.filter(({ values }) =>
    shownOf(values, shown).every((value) => value === undefined || value.length <= 24),
  )
  paddedPieces(
    [...short.slice(0, 16), ...short.slice(0, 4).flatMap((piece) => [...endPieces(piece)])],
    roots,
    outputs,
  ).forEach(use)
  withoutOptionalAffixes(cut, outputs).forEach(use)
  for (const a of roots.slice(0, 4)) for (const b of roots.slice(0, 4)) if (a !== b) use(without(a, b))
  const sliced: SlicedSource[] = sources
    .slice(0, MAX_SLICED)
    .flatMap((source) => [source, ...casedViews(source, outputs)])
    .map((source) => ({ source, positions: positionsIn(source) }))
  for (const { positions } of sliced) budget.spend(positions.length)
  return { outputs, rows: scope, nodes: nodes.all(), sliced, witnesses, pieces: cut, sources }
}
