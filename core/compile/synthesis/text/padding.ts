import { literal } from '../search/build.ts'
import { numberBy, type Operand, textBy } from '../search/derived.ts'
import type { TextNode } from '../search/node.ts'
import { Cost, costOf } from '../ranking/cost.ts'

const FILLS = /[^\p{L}1-9]|[xX]/gu
const MAX_WIDTH = 60
const MAX_PADDED = 24

/** A width that texts are padded to, on every row. */
interface Width {
  readonly of: Operand
  readonly cost: Cost
}

/** The same width on all of so many rows. */
export function fixedWidth(width: number, count: number): Width {
  return {
    of: { expr: literal(width), values: Array.from({ length: count }, () => width) },
    cost: costOf('pad').with('pad.character', width),
  }
}

const LENGTH = numberBy((of) => ({ op: 'length', of }))
const MARKS = ['.', ',', ':', '/', '-'] as const

/**
 * Returns the width to which the texts are filled up on one side: of the shortest, which the longer ones have outgrown
 * without a fill. Undefined where none is filled.
 */
export function filledWidth(texts: readonly string[], side: 'start' | 'end', fill: string): number | undefined {
  const isFilled = (text: string) => (side === 'start' ? text.startsWith(fill) : text.endsWith(fill))
  const width = Math.min(...texts.map((text) => text.length))
  if (width < 2 || width > MAX_WIDTH || !texts.some(isFilled)) return undefined
  return texts.every((text) => text.length === width || !isFilled(text)) ? width : undefined
}

/** Widths of the parts before and after a mark that every output has once. */
function partWidths(outputs: readonly string[], side: 'start' | 'end', fill: string): number[] {
  const parts = MARKS.flatMap((mark) => {
    const split = outputs.map((output) => output.split(mark))
    if (split.some(({ length }) => length !== 2)) return []
    return [0, 1].map((at) => split.map((texts) => texts[at] ?? ''))
  })
  return parts.flatMap((texts) => filledWidth(texts, side, fill) ?? [])
}

function runWidths(outputs: readonly string[], find: RegExp): number[] {
  const widths = outputs.map((output) => new Set([...output.matchAll(find)].map(([run]) => run.length)))
  const [first, ...others] = widths
  return [...(first ?? [])].filter((width) => others.every((other) => other.has(width)))
}

/** Widths that every output shows: of the whole, of a word, of a run of digits. */
function sharedWidths(outputs: readonly string[]): number[] {
  const found = new Set<number>()
  const length = outputs[0]?.length ?? 0
  if (outputs.every((output) => output.length === length)) found.add(length)
  for (const find of [/\d+/g, /[^ ]+/g, /[^ ,:;/|-]+/g]) for (const width of runWidths(outputs, find)) found.add(width)
  return [...found].filter((width) => width > 1 && width <= MAX_WIDTH).slice(0, 5)
}

/** Fills texts up to a width on one side. */
export function padded(side: 'start' | 'end', fill: string) {
  return textBy((text, width) => ({ op: 'pad', text, side, width, fill }))
}

/** Pieces padded to a width that the outputs share, or to the length of a text input. */
export function paddedPieces(
  pieces: readonly TextNode[],
  roots: readonly TextNode[],
  outputs: readonly string[],
): TextNode[] {
  const fills = new Set<string>()
  for (const output of outputs) {
    for (const [char, next] of [...output.matchAll(FILLS)].map(
      (match) => [match[0], output.charAt(match.index + 1)] as const,
    )) {
      if (next === char || char === '0' || fills.size === 0) fills.add(char)
    }
  }
  const rows = (pieces[0] ?? roots[0])?.values ?? []
  const shared = sharedWidths(outputs)
  const widths = shared.map((width) => fixedWidth(width, rows.length))
  for (const root of roots.slice(0, 2)) widths.push({ of: LENGTH(root, Cost.NONE), cost: costOf('pad.toLength') })
  const total = outputs[0]?.length ?? 0
  if (total <= MAX_WIDTH && outputs.length > 1 && outputs.every((output) => output.length === total)) {
    const rest = numberBy((of) => ({ op: 'sub', left: literal(total), right: { op: 'length', of } }))
    for (const root of roots.slice(0, 3)) widths.push({ of: rest(root, Cost.NONE), cost: costOf('pad.toRest') })
  }
  const out: TextNode[] = []
  for (const fill of [...fills].slice(0, 5)) {
    for (const side of ['start', 'end'] as const) {
      const pad = padded(side, fill)
      const own = partWidths(outputs, side, fill)
        .filter((width) => !shared.includes(width))
        .map((width) => fixedWidth(width, rows.length))
      for (const piece of pieces.slice(0, MAX_PADDED)) {
        const base = piece.cost.when(side === 'end' && fill === '0', 'pad.zerosAtEnd')
        for (const { of, cost } of [...widths, ...own]) out.push(pad(piece, base.plus(cost), of))
      }
    }
  }
  return out
}
