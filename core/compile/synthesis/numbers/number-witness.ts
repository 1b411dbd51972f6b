import type { Expr } from '../../language/ast.ts'
import { formatNumberText, type NumberWriting } from '../../language/primitives/numbers/number-text.ts'
import type { Budget } from '../search/budget.ts'
import type { NumberNode, TextNode } from '../search/node.ts'
import type { Edge, Witness } from '../text/edges.ts'
import type { NumberTarget } from './samples.ts'
import { solveNumber } from './solve-number.ts'
import { Cost, type FeatureName } from '../ranking/cost.ts'

/** Number format of an output. */
interface NumberShape {
  readonly find: RegExp
  readonly group: string
  readonly decimal: string
}

const SHAPES: readonly NumberShape[] = [
  { find: /-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|-?\d+(?:\.\d+)?/y, group: ',', decimal: '.' },
  { find: /-?\d+(?:\.\d+)?/y, group: '', decimal: '.' },
  { find: /-?\d+/y, group: '', decimal: '.' },
  { find: /-?\d{1,3}(?:\.\d{3})*(?:,\d+)?(?!\d)/y, group: '.', decimal: ',' },
  { find: /-?\d{1,3}(?: \d{3})*(?:[.,]\d+)?(?!\d)/y, group: ' ', decimal: '.' },
  { find: /[+-]\d+(?:\.\d+)?|0(?:\.0+)?(?![\d.])/y, group: '', decimal: '.' },
]
const PER_TARGET = 3

interface Format {
  readonly writing: NumberWriting
  readonly cost: Cost
  readonly expr: (value: Expr) => Expr
}

/** The mark between thousands that some output shows and none lacks; empty when there is no such mark. */
function groupingOf(outputs: readonly string[]): string {
  const isShown = outputs.some((output) => /(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)/.test(output))
  return isShown && !outputs.some((output) => /\d{4}/.test(output)) ? ',' : ''
}

/** The width to which some of several numbers in the outputs are padded with zeros; 1 when none is. */
function paddingOf(outputs: readonly string[]): number {
  const padded = outputs.flatMap((output) => {
    const runs = output.match(/(?<![.\d])\d+/g) ?? []
    return runs.length < 2 ? [] : runs.slice(1).filter((run) => run.length > 1 && run.startsWith('0'))
  })
  const width = padded[0]?.length ?? 1
  return padded.every((run) => run.length === width) ? width : 1
}

/** Number formats of the outputs, as far as they show. */
interface Habits {
  readonly grouping: string
  readonly padding: number
}

/** The ways to write numbers that all these texts fit; rounded ones where every text has as many decimals. */
function formatsOf(texts: readonly string[], { group, decimal }: NumberShape, { grouping, padding }: Habits): Format[] {
  const unsigned = texts.map((text) => text.replace(/^[+-]/, ''))
  const isSigned = texts.some((text) => text.startsWith('+'))
  const fractions = unsigned.map((text) => text.split(decimal)[1] ?? '')
  const integers = unsigned.map((text) => text.split(decimal)[0] ?? '')
  const widths = new Set(fractions.map((fraction) => fraction.length))
  const most = Math.max(...widths)
  const isEvident = group !== '' && integers.some((text) => text.includes(group))
  const isGrouped = isEvident || (group !== '' && group === grouping)
  if (group !== '' && !isGrouped && decimal === '.') return []
  const width = integers[0]?.length ?? 0
  const isWide = integers.every((text) => text.length >= width)
  const isPadded = isWide && integers.some((text) => text.length > 1 && text.startsWith('0'))
  // Numbers that all fill the width to which the others are padded are padded alike.
  const isPaddedAlike = padding > 1 && integers.every((text) => text.length === padding)
  const minDigits = isPadded ? Math.min(...integers.map((text) => text.length)) : isPaddedAlike ? padding : 1
  const options = {
    ...(decimal === '.' ? {} : { decimal }),
    ...(isGrouped ? { group } : {}),
    ...(minDigits > 1 ? { minDigits } : {}),
    ...(isSigned ? { sign: 'always' as const } : {}),
  }
  const writing = (minDecimals: number, maxDecimals: number | undefined): NumberWriting => ({
    minDecimals,
    maxDecimals,
    mode: 'halfUp',
    decimal,
    group: isGrouped ? group : '',
    minDigits,
    sign: isSigned ? 'always' : 'negative',
  })
  // Where other rows show the grouping of thousands, numbers too small to show it use the same format.
  const base = Cost.NONE.when(isEvident, 'writeNumber.grouped')
    .when(!isEvident && group !== grouping, 'writeNumber.otherGrouping')
    .when(isPadded, 'writeNumber.padded')
    .when(decimal !== '.', 'writeNumber.decimalMark')
  const formats: Format[] = []
  const add = (minDecimals: number, maxDecimals: number | undefined, feature: FeatureName) =>
    formats.push({
      writing: writing(minDecimals, maxDecimals),
      cost: base.with(feature),
      expr: (value) => ({
        op: 'formatNumber',
        value,
        ...(minDecimals === 0 ? {} : { minDecimals }),
        ...(maxDecimals === undefined ? {} : { maxDecimals }),
        ...options,
      }),
    })
  if (widths.size === 1 && most > 0) add(most, most, 'writeNumber.fixed')
  else add(0, undefined, 'writeNumber')
  if (most === 0) add(0, 0, 'writeNumber.whole')
  else if (widths.size > 1) add(0, most, 'writeNumber.atMost')
  return formats
}

function readTarget(texts: readonly string[], { group, decimal }: NumberShape): number[] {
  return texts.map((text) => {
    const plain = group === '' ? text : text.replaceAll(group, '')
    return Number(decimal === '.' ? plain : plain.replace(decimal, '.'))
  })
}

/** Returns true when the digits at a place are the decimals of the number before it. */
function isFraction(output: string, start: number): boolean {
  return (
    output.charAt(start - 1) === '.' &&
    /(?:^|[^\d.])\d+\.$/.test(output.slice(0, start)) &&
    /^\d+(?![\d.])/.test(output.slice(start))
  )
}

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
export function numberWitness(outputs: readonly string[], numbers: readonly NumberNode[]): Witness {
  const habits = { grouping: groupingOf(outputs), padding: paddingOf(outputs) }
  const known = new Map<string, readonly TextNode[]>()
  const solve = (
    rows: readonly number[],
    texts: readonly string[],
    shape: NumberShape,
    budget: Budget,
  ): readonly TextNode[] => {
    const key = `${rows.join()}|${texts.join('|')}|${shape.group}|${shape.find.source}`
    const cached = known.get(key)
    if (cached !== undefined) return cached
    const found: TextNode[] = []
    for (const format of formatsOf(texts, shape, habits)) {
      const decimals =
        format.writing.maxDecimals ?? Math.max(...texts.map((text) => text.split(shape.decimal)[1]?.length ?? 0))
      const isRoundedLater = format.writing.maxDecimals !== undefined
      const target: NumberTarget = { rows, values: readTarget(texts, shape), decimals, isRoundedLater }
      for (const node of solveNumber(numbers, target, PER_TARGET, budget)) {
        const text = written(node, format)
        if (rows.every((row, i) => text.values[row] === texts[i])) found.push(text)
      }
    }
    known.set(key, found)
    return found
  }
  return (rows, starts, budget) => {
    if (numbers.length === 0) return []
    const edges: Omit<Edge, 'missing'>[] = []
    const seen = new Set<string>()
    for (const shape of SHAPES) {
      const texts: string[] = []
      for (const [i, row] of rows.entries()) {
        const start = starts[i] ?? 0
        const output = outputs[row] ?? ''
        // A number starts where no digit precedes.
        if (/\d/.test(output.charAt(start - 1)) || isFraction(output, start)) break
        shape.find.lastIndex = start
        const match = shape.find.exec(output)
        if (match === null) break
        texts.push(match[0])
      }
      const key = texts.join('|')
      if (texts.length < rows.length || seen.has(key)) continue
      const isVaried = new Set(texts).size > 1 || rows.length === 1
      if (!isVaried) continue
      const found = solve(rows, texts, shape, budget)
      if (found.length > 0) seen.add(key)
      const ends = texts.map((text, i) => (starts[i] ?? 0) + text.length)
      for (const { expr, cost, values } of found)
        edges.push({ expr, cost, isConstant: false, values: () => values, ends })
    }
    return edges
  }
}
