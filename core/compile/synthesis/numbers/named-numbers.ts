import type { Expr } from '../../language/ast.ts'
import { ordinalText, parseRomanText, romanText } from '../../language/primitives/numbers/number-words.ts'
import { literal } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import { textBy, type Derive } from '../search/derived.ts'
import { mapValues, type NumberNode, type TextNode } from '../search/node.ts'
import type { Edge, Witness } from '../text/edges.ts'
import { solveNumber } from './solve-number.ts'
import type { FeatureName } from '../ranking/cost.ts'

const MAX_NODES = 12
const PER_TARGET = 2
const MAX_RUN = 200

/** A way to write a number other than in digits. */
interface Notation {
  readonly find: RegExp
  readonly feature: FeatureName
  readonly read: (text: string) => number | undefined
  readonly write: (value: number, texts: readonly string[]) => string | undefined
  readonly expr: (value: Expr, texts: readonly string[]) => Expr
}

function firstChar(texts: readonly string[]): string {
  return texts[0]?.slice(0, 1) ?? ''
}

const NOTATIONS: readonly Notation[] = [
  {
    find: /\d+(?:st|nd|rd|th)/y,
    feature: 'ordinal',
    read: (text) => Number.parseInt(text, 10),
    write: ordinalText,
    expr: (value) => ({ op: 'ordinal', value }),
  },
  {
    find: /[IVXLCDM]+(?!\p{L})/uy,
    feature: 'roman',
    read: parseRomanText,
    write: romanText,
    expr: (value) => ({ op: 'roman', value }),
  },
  {
    // One mark repeated as often as the number: bars, stars, underlines.
    find: /([^\p{L}\p{N}\s])\1*/uy,
    feature: 'repeatedMark',
    read: (text) => text.length,
    write: (value, texts) =>
      Number.isInteger(value) && value >= 0 && value <= MAX_RUN ? firstChar(texts).repeat(value) : undefined,
    expr: (value, texts) => ({ op: 'repeat', text: literal(firstChar(texts)), times: value }),
  },
]

/** The texts that a notation finds in the outputs at the starts; undefined where a row has none. */
function textsAt(
  find: RegExp,
  outputs: readonly string[],
  rows: readonly number[],
  starts: readonly number[],
): string[] | undefined {
  const texts: string[] = []
  for (const [i, row] of rows.entries()) {
    find.lastIndex = starts[i] ?? 0
    const text = find.exec(outputs[row] ?? '')?.[0]
    if (text === undefined) return undefined
    texts.push(text)
  }
  return texts
}

/** Explains ordinals, roman numerals and runs of one mark in the outputs by arithmetic over the rows' numbers. */
export function namedNumberWitness(outputs: readonly string[], numbers: readonly NumberNode[]): Witness {
  const known = new Map<string, readonly TextNode[]>()
  const solve = (notation: Notation, rows: readonly number[], texts: readonly string[], budget: Budget) => {
    const key = `${rows.join()}|${texts.join('|')}|${notation.find.source}`
    const cached = known.get(key)
    if (cached !== undefined) return cached
    const values = texts.map(notation.read).filter((value) => value !== undefined)
    const found: TextNode[] = []
    const target = { rows, values, decimals: 0, isRoundedLater: false }
    for (const node of values.length < texts.length ? [] : solveNumber(numbers, target, PER_TARGET, budget)) {
      found.push({
        expr: notation.expr(node.expr, texts),
        cost: node.cost.with(notation.feature),
        values: mapValues(node.values, (value) => notation.write(value, texts)),
      })
    }
    const right = found.filter((node) => rows.every((row, i) => node.values[row] === texts[i]))
    known.set(key, right)
    return right
  }
  return (rows, starts, budget) => {
    const edges: Omit<Edge, 'missing'>[] = []
    if (numbers.length === 0 || rows.length < 2) return edges
    for (const notation of NOTATIONS) {
      const texts = textsAt(notation.find, outputs, rows, starts)
      // A text that all rows share is a constant, and a single letter is rarely a numeral.
      if (texts === undefined || new Set(texts).size < 2) continue
      if (notation.write === romanText && texts.every((text) => text.length < 2)) continue
      if (notation.feature === 'repeatedMark' && new Set(texts.map((text) => text.slice(0, 1))).size > 1) continue
      const ends = texts.map((text, i) => (starts[i] ?? 0) + text.length)
      for (const { expr, cost, values } of solve(notation, rows, texts, budget))
        edges.push({ expr, cost, isConstant: false, values: () => values, ends })
    }
    return edges
  }
}

const WRITINGS: readonly (readonly [FeatureName, Derive<string>])[] = [
  ['ordinal', textBy((value) => ({ op: 'ordinal', value }))],
  ['roman', textBy((value) => ({ op: 'roman', value }))],
  ['numberWords', textBy((value) => ({ op: 'numberWords', value }))],
  ...[16, 2, 8].map((radix) => ['radix', textBy((value) => ({ op: 'formatRadix', value, radix }))] as const),
  ['radix.upper', textBy((value) => ({ op: 'upper', text: { op: 'formatRadix', value, radix: 16 } }))],
]

/** The numbers of the rows written in words, in other bases, as ordinals and as roman numerals. */
export function namedNumberTexts(numbers: readonly NumberNode[]): TextNode[] {
  return numbers
    .slice(0, MAX_NODES)
    .flatMap((node) => WRITINGS.map(([feature, write]) => write(node, node.cost.with(feature))))
}
