import { formatNumberText } from '../../language/primitives/numbers/number-text.ts'
import { roundWritten } from '../../language/primitives/numbers/written-decimal.ts'
import type { Budget } from '../search/budget.ts'
import type { Scope } from '../search/scope.ts'
import { mapValues, type NumberNode, type TextNode } from '../search/node.ts'
import type { Edge, Witness } from '../text/edges.ts'
import { filledWidth, fixedWidth, padded } from '../text/padding.ts'
import {
  type Format,
  formatsOf,
  habitsOf,
  isFraction,
  type NumberShape,
  readTarget,
  shapesOf,
} from './number-formats.ts'
import type { NumberTarget } from './samples.ts'
import { prices } from './prices/prices.ts'
import { solveNumber } from './solve-number.ts'
import { inWrittenDecimals } from './written-numbers.ts'

const PER_TARGET = 3

/** Writes a number node as text. */
function written(node: NumberNode, { writing, cost, expr }: Format): TextNode {
  return {
    expr: expr(node.expr),
    cost: node.cost.plus(cost),
    values: node.values.map((value) => (value === undefined ? undefined : formatNumberText(value, writing))),
  }
}

/**
 * Explains the number in the outputs at the starts: reads it, finds arithmetic that gives it, and writes the result in
 * the format of the rows.
 */
export function numberWitness(outputs: readonly string[], numbers: readonly NumberNode[], scope: Scope): Witness {
  const habits = habitsOf(outputs)
  const leaves = new Map(numbers.map((node) => [node.expr, node]))
  const shapes = shapesOf(outputs)
  const known = new Map<string, readonly TextNode[]>()
  /** Numbers with the decimals of what they are read or computed from, or fewer. */
  const inDecimalsOf = (
    rows: readonly number[],
    texts: readonly string[],
    values: readonly number[],
    budget: Budget,
  ) => {
    const decimals = Math.max(...texts.map((text) => text.split('.')[1]?.length ?? 0))
    const found: TextNode[] = []
    for (const isRoundedLater of [false, true]) {
      const target: NumberTarget = { rows, values, decimals, isRoundedLater }
      for (const { expr, cost } of solveNumber(numbers, target, PER_TARGET, budget)) {
        const written = inWrittenDecimals(expr, leaves)
        if (written?.isWritten !== true) continue
        const shown: TextNode = isRoundedLater
          ? {
              expr: { op: 'decimalRound', value: written.expr, decimals },
              values: mapValues(written.values, (value) => roundWritten(value, decimals, 'halfUp')),
              cost: cost.with('writeNumber.writtenRounded'),
            }
          : { expr: written.expr, values: written.values, cost: cost.with('writeNumber.written') }
        if (rows.every((row, i) => shown.values[row] === texts[i])) found.push(shown)
      }
      if (found.length > 0) break
    }
    return found
  }
  const solve = (
    rows: readonly number[],
    texts: readonly string[],
    shape: NumberShape,
    budget: Budget,
  ): readonly TextNode[] => {
    const key = `${rows.join()}|${texts.join('|')}|${shape.find.source}`
    const cached = known.get(key)
    if (cached !== undefined) return cached
    const found: TextNode[] = []
    for (const format of formatsOf(texts, shape, habits)) {
      const decimals =
        format.writing.maxDecimals ?? Math.max(...texts.map((text) => text.split(shape.decimal)[1]?.length ?? 0))
      const isRoundedLater = format.writing.maxDecimals !== undefined
      const { digits } = format.writing
      const target: NumberTarget = {
        rows,
        values: readTarget(texts, shape),
        decimals,
        isRoundedLater,
        ...(digits === undefined ? {} : { digits }),
      }
      const solved = solveNumber(numbers, target, PER_TARGET, budget)
      const isWhole = rows.length === outputs.length && digits === undefined
      for (const node of solved.length > 0 || !isWhole ? solved : prices(scope, target, budget)) {
        const text = written(node, format)
        if (rows.every((row, i) => text.values[row] === texts[i])) found.push(text)
      }
    }
    if (shape.group === '' && texts.some((text) => text.includes('.')))
      found.push(...inDecimalsOf(rows, texts, readTarget(texts, shape), budget))
    known.set(key, found)
    return found
  }
  return (rows, starts, budget) => {
    if (numbers.length === 0) return []
    const edges: Omit<Edge, 'missing'>[] = []
    const rests = rows.map((row, i) => ({ output: outputs[row] ?? '', start: starts[i] ?? 0 }))
    const spaces = rests.map(({ output, start }) => spacesFrom(output, start))
    const isIndented = spaces.some((count) => count > 0)
    for (const indents of isIndented ? [spaces.map(() => 0), spaces] : [spaces]) {
      const seen = new Set<string>()
      for (const shape of shapes) {
        const texts = textsAt(rests, indents, shape)
        const key = texts?.join('|') ?? ''
        if (texts === undefined || seen.has(key)) continue
        const isVaried = new Set(texts).size > 1 || rows.length === 1
        if (!isVaried) continue
        const found = solve(rows, texts, shape, budget)
        if (found.length > 0) seen.add(key)
        for (const { ends, of } of columnsOf(rests, indents, texts)) {
          for (const node of found) {
            const { expr, cost, values } = of(node)
            edges.push({ expr, cost, isConstant: false, values: () => values, ends })
          }
        }
      }
    }
    return edges
  }
}

/** The place in the output of a row at which a part begins. */
interface Rest {
  readonly output: string
  readonly start: number
}

function spacesFrom(output: string, start: number): number {
  let at = start
  while (output.charAt(at) === ' ') at++
  return at - start
}

/** The numbers at the starts, after so many spaces each; undefined where some row has none. */
function textsAt(rests: readonly Rest[], indents: readonly number[], { find }: NumberShape): string[] | undefined {
  const texts: string[] = []
  for (const [i, rest] of rests.entries()) {
    const start = rest.start + (indents[i] ?? 0)
    // A number starts where no digit precedes.
    if (/\d/.test(rest.output.charAt(start - 1)) || isFraction(rest.output, start)) return undefined
    find.lastIndex = start
    const match = find.exec(rest.output)
    if (match === null) return undefined
    texts.push(match[0])
  }
  return texts
}

/** The numbers as they are, and as a column: filled up with spaces to one width, before the number or after it. */
function columnsOf(
  rests: readonly Rest[],
  indents: readonly number[],
  texts: readonly string[],
): { readonly ends: readonly number[]; readonly of: (node: TextNode) => TextNode }[] {
  const ends = rests.map(({ start }, i) => start + (indents[i] ?? 0) + (texts[i]?.length ?? 0))
  const isIndented = indents.some((count) => count > 0)
  const filled = (side: 'start' | 'end', until: readonly number[]) => {
    const width = filledWidth(
      rests.map(({ output, start }, i) => output.slice(start, until[i])),
      side,
      ' ',
    )
    if (width === undefined) return []
    const pad = padded(side, ' ')
    const of = (node: TextNode) => {
      const fixed = fixedWidth(width, node.values.length)
      return pad(node, node.cost.plus(fixed.cost), fixed.of)
    }
    return [{ ends: until, of }]
  }
  if (isIndented) return filled('start', ends)
  const after = rests.map(({ output }, i) => (ends[i] ?? 0) + spacesFrom(output, ends[i] ?? 0))
  return [{ ends, of: (node) => node }, ...filled('end', after)]
}
