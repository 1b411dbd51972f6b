import type { Expr } from '../../language/ast.ts'
import { literal } from '../search/build.ts'
import type { TextNode } from '../search/node.ts'
import { costOf, type Cost } from '../ranking/cost.ts'

const FILLS = /[^\p{L}1-9]|[xX]/gu
const MAX_WIDTH = 60
const MAX_PADDED = 24

interface Width {
  readonly expr: Expr
  readonly cost: Cost
  readonly at: (row: number) => number | undefined
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
  const widths: Width[] = sharedWidths(outputs).map((width) => ({
    expr: literal(width),
    cost: costOf('pad').with('pad.character', width),
    at: () => width,
  }))
  for (const root of roots.slice(0, 2)) {
    widths.push({
      expr: { op: 'length', of: root.expr },
      cost: costOf('pad.toLength'),
      at: (row) => root.values[row]?.length,
    })
  }
  const total = outputs[0]?.length ?? 0
  if (total <= MAX_WIDTH && outputs.length > 1 && outputs.every((output) => output.length === total)) {
    for (const root of roots.slice(0, 3)) {
      const used: Expr = { op: 'length', of: root.expr }
      widths.push({
        expr: { op: 'sub', left: literal(total), right: used },
        cost: costOf('pad.toRest'),
        at: (row) => {
          const length = root.values[row]?.length
          return length === undefined || length > total ? undefined : total - length
        },
      })
    }
  }
  const out: TextNode[] = []
  for (const piece of pieces.slice(0, MAX_PADDED)) {
    for (const fill of [...fills].slice(0, 5)) {
      for (const width of widths) {
        for (const side of ['start', 'end'] as const) {
          const values = piece.values.map((value, row) => {
            const to = width.at(row)
            if (value === undefined || to === undefined) return undefined
            return side === 'start' ? value.padStart(to, fill) : value.padEnd(to, fill)
          })
          out.push({
            expr: { op: 'pad', text: piece.expr, side, width: width.expr, fill },
            cost: piece.cost.plus(width.cost).when(side === 'end' && fill === '0', 'pad.zerosAtEnd'),
            values,
          })
        }
      }
    }
  }
  return out
}
