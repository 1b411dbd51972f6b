import type { Expr } from '../../language/ast.ts'
import type { GroupWidths } from '../../language/names.ts'
import { plainDigits } from '../../language/primitives/numbers/decimal.ts'
import { formatNumberText, type NumberWriting } from '../../language/primitives/numbers/number-text.ts'
import { calculateWritten, roundWritten } from '../../language/primitives/numbers/written-decimal.ts'
import type { Budget } from '../search/budget.ts'
import { literal } from '../search/build.ts'
import { mapValues, type NumberNode, type TextNode } from '../search/node.ts'
import type { Edge, Witness } from '../text/edges.ts'
import type { NumberTarget } from './samples.ts'
import { solveNumber } from './solve-number.ts'
import { Cost, type FeatureName } from '../ranking/cost.ts'

/** Number format of an output. */
interface NumberShape {
  readonly find: RegExp
  readonly group: string
  readonly decimal: string
  readonly groups?: GroupWidths
  /** Tried where some output shows it. */
  readonly shows?: RegExp
}

/** Numbers with a mark between thousands. */
function grouped(group: string, decimal: string): NumberShape {
  const digits = `\\d{1,3}(?:${group}\\d{3})`
  return {
    find: new RegExp(`-?${digits}+(?:[${decimal}]\\d+)?(?!\\d)|-?\\d+(?:[${decimal}]\\d+)?`, 'y'),
    group,
    decimal,
    shows: new RegExp(`(?<!\\d)${digits}+(?!\\d)`),
  }
}

const INDIAN = String.raw`\d{1,2}(?:,\d\d)*,\d{3}`
const SHAPES: readonly NumberShape[] = [
  { find: /-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|-?\d+(?:\.\d+)?/y, group: ',', decimal: '.' },
  { find: /-?\d+(?:\.\d+)?/y, group: '', decimal: '.' },
  { find: /-?\d+/y, group: '', decimal: '.' },
  { find: /-?\d{1,3}(?:\.\d{3})*(?:,\d+)?(?!\d)/y, group: '.', decimal: ',' },
  { find: /[+-]\d+(?:\.\d+)?|0(?:\.0+)?(?![\d.])/y, group: '', decimal: '.' },
  ...[' ', '\u00a0', '\u202f'].flatMap((space) => [grouped(space, '.'), grouped(space, ',')]),
  grouped("'", '.'),
  grouped('\u2019', '.'),
  {
    find: new RegExp(`-?${INDIAN}(?:\\.\\d+)?(?!\\d)|-?\\d+(?:\\.\\d+)?`, 'y'),
    group: ',',
    decimal: '.',
    groups: 'indian',
    shows: /\d,\d\d,\d{3}(?!\d)/,
  },
]
const PER_TARGET = 3
const MAX_SIGNIFICANT = 6

interface Format {
  readonly writing: NumberWriting
  readonly cost: Cost
  readonly expr: (value: Expr) => Expr
}

const GROUPS = SHAPES.flatMap(({ group, shows }) => (shows === undefined ? [] : [{ group, shows }]))

/** The mark between thousands that some output shows and none lacks; empty when there is no such mark. */
function groupingOf(outputs: readonly string[]): string {
  const isShown = (shows: RegExp) => outputs.some((output) => shows.test(output))
  const found = isShown(/(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)/) ? ',' : GROUPS.find(({ shows }) => isShown(shows))?.group
  return found === undefined || outputs.some((output) => /\d{4}/.test(output)) ? '' : found
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
function formatsOf(
  texts: readonly string[],
  { group, decimal, groups }: NumberShape,
  { grouping, padding }: Habits,
): Format[] {
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
    ...(isGrouped ? { group, ...(groups === undefined ? {} : { groups }) } : {}),
    ...(minDigits > 1 ? { minDigits } : {}),
    ...(isSigned ? { sign: 'always' as const } : {}),
  }
  const writing = (minDecimals: number, maxDecimals: number | undefined): NumberWriting => ({
    minDecimals,
    maxDecimals,
    mode: 'halfUp',
    decimal,
    group: isGrouped ? group : '',
    ...(groups === undefined ? {} : { groups }),
    minDigits,
    sign: isSigned ? 'always' : 'negative',
  })
  // Where other rows show the grouping of thousands, numbers too small to show it use the same format.
  const base = Cost.NONE.when(isEvident, 'writeNumber.grouped')
    .when(!isEvident && group !== grouping, 'writeNumber.otherGrouping')
    .when(isPadded, 'writeNumber.padded')
    .when(decimal !== '.', 'writeNumber.decimalMark')
  const formats: Format[] = []
  const add = (decimals: Pick<NumberWriting, 'minDecimals' | 'maxDecimals' | 'digits'>, feature: FeatureName) =>
    formats.push({
      writing: { ...writing(decimals.minDecimals, decimals.maxDecimals), ...decimals },
      cost: base.with(feature),
      expr: (value) => ({
        op: 'formatNumber',
        value,
        ...(decimals.minDecimals === 0 ? {} : { minDecimals: decimals.minDecimals }),
        ...(decimals.maxDecimals === undefined ? {} : { maxDecimals: decimals.maxDecimals }),
        ...options,
        ...(decimals.digits === undefined ? {} : { digits: decimals.digits }),
      }),
    })
  if (widths.size === 1 && most > 0) add({ minDecimals: most, maxDecimals: most }, 'writeNumber.fixed')
  else add({ minDecimals: 0, maxDecimals: undefined }, 'writeNumber')
  if (most === 0) add({ minDecimals: 0, maxDecimals: 0 }, 'writeNumber.whole')
  else if (widths.size > 1) {
    const least = Math.min(...widths)
    add({ minDecimals: 0, maxDecimals: most }, 'writeNumber.atMost')
    if (least > 0) {
      add({ minDecimals: least, maxDecimals: undefined }, 'writeNumber.atLeast')
      add({ minDecimals: least, maxDecimals: most }, 'writeNumber.between')
    }
  }
  const digits = significantDigits(integers, fractions)
  if (digits !== undefined && (widths.size > 1 || most === 0))
    add({ minDecimals: 0, maxDecimals: undefined, digits }, 'writeNumber.digits')
  return formats
}

/** The one number of significant digits that all texts can have; the zeros at the end of a whole number may be some. */
function significantDigits(integers: readonly string[], fractions: readonly string[]): number | undefined {
  const written = integers.map((integer, row) => (integer + (fractions[row] ?? '')).replace(/\D|^0+/g, ''))
  const most = written.map((digits) => digits.length)
  const least = written.map((digits, row) => (fractions[row] === '' ? digits.replace(/0+$/, '') : digits).length)
  const digits = Math.max(...least)
  const isRounded = written.some((text, row) => fractions[row] !== '' || text.endsWith('0'))
  return digits >= 1 && digits <= MAX_SIGNIFICANT && isRounded && most.every((length) => length >= digits)
    ? digits
    : undefined
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

/** The exact text of a number with the decimals of the texts and numbers that it is computed from. */
interface Written {
  readonly expr: Expr
  readonly values: readonly (string | undefined)[]
  /** False while only numbers without written decimals are in it. */
  readonly isWritten: boolean
}

/** Returns sums and products as written decimals; undefined for other arithmetic. */
function inWrittenDecimals(expr: Expr, leaves: ReadonlyMap<Expr, NumberNode>): Written | undefined {
  const leaf = leaves.get(expr)
  if (leaf?.written !== undefined) return { expr: leaf.written.expr, values: leaf.written.values, isWritten: true }
  if (leaf !== undefined && (expr.op === 'field' || expr.op === 'path' || expr.op === 'nth')) {
    return { expr, values: mapValues(leaf.values, plainDigits), isWritten: false }
  }
  const parts =
    expr.op === 'neg'
      ? ({ name: 'sub', left: literal(0), right: expr.value } as const)
      : expr.op === 'add' || expr.op === 'sub' || expr.op === 'mul'
        ? ({ name: expr.op, left: expr.left, right: expr.right } as const)
        : undefined
  if (parts === undefined) return undefined
  const [left, right] = [parts.left, parts.right].map((part) =>
    part.op === 'literal' ? part : inWrittenDecimals(part, leaves),
  )
  if (left === undefined || right === undefined) return undefined
  const at = (side: Written | Expr, row: number): string | undefined =>
    'values' in side
      ? side.values[row]
      : 'value' in side && typeof side.value === 'number'
        ? plainDigits(side.value)
        : undefined
  const exprOf = (side: Written | Expr): Expr => ('values' in side ? side.expr : side)
  const rows = 'values' in left ? left.values : 'values' in right ? right.values : []
  return {
    expr: { op: 'decimal', do: parts.name, left: exprOf(left), right: exprOf(right) },
    values: rows.map((_, row) => {
      const [a, b] = [at(left, row), at(right, row)]
      return a === undefined || b === undefined ? undefined : calculateWritten(parts.name, a, b)
    }),
    isWritten: ('values' in left && left.isWritten) || ('values' in right && right.isWritten),
  }
}

/**
 * Explains the number in the outputs at the starts: reads it, finds arithmetic that gives it, and writes the result in
 * the format of the rows.
 */
export function numberWitness(outputs: readonly string[], numbers: readonly NumberNode[]): Witness {
  const habits = { grouping: groupingOf(outputs), padding: paddingOf(outputs) }
  const leaves = new Map(numbers.map((node) => [node.expr, node]))
  const shapes = SHAPES.filter(({ shows }) => shows === undefined || outputs.some((output) => shows.test(output)))
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
      for (const node of solveNumber(numbers, target, PER_TARGET, budget)) {
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
    const edges: Edge[] = []
    const seen = new Set<string>()
    for (const shape of shapes) {
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
