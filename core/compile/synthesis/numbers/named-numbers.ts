import type { Expr } from '../../language/ast.ts'
import { ordinalText, parseRomanText, romanText } from '../../language/primitives/numbers/number-words.ts'
import { concat, literal, slice } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import { isMember } from '../conditions/pair-predicates.ts'
import { textBy, type Derive } from '../search/derived.ts'
import { mapValues, type NumberNode, type TextNode } from '../search/node.ts'
import type { Edge, Witness } from '../text/edges.ts'
import { fixedWidth, padded } from '../text/padding.ts'
import { reaches } from './fit.ts'
import { LENGTH } from './number-space.ts'
import { ALPHABET } from './quantities.ts'
import { calculation, roundNode, withConstant } from './number-node.ts'
import { solveNumber } from './solve-number.ts'
import { Cost, type FeatureName } from '../ranking/cost.ts'

const MAX_NODES = 12
const PER_TARGET = 2
const MAX_RUN = 200
const RARE_ROWS = 3
const RARE_NUMBERS = 8

/** A way to write a number other than in digits. */
interface Notation {
  readonly find: RegExp
  /** Tried where some output shows it. */
  readonly shows?: RegExp
  /** On rows where another mark follows than on most, the text is empty. */
  readonly isOptional?: true
  /** Numbers are written as they are, not calculated. */
  readonly isPlain?: true
  /** Arithmetic is looked for from three rows on, over the first numbers: dates explain most times. */
  readonly isRare?: true
  readonly feature: FeatureName
  readonly read: (text: string) => number | undefined
  readonly write: (value: number, texts: readonly string[]) => string | undefined
  readonly expr: (value: Expr, texts: readonly string[]) => Expr
}

const RUN = /([^\p{L}\p{N}\s])\1*/uy

/** Returns the mark of which the runs consist; empty where no run has one. */
function markOf(texts: readonly string[]): string {
  return texts.find((text) => text !== '')?.slice(0, 1) ?? ''
}

function inRadix(value: Expr, radix: number): Expr {
  return { op: 'formatRadix', value, radix }
}

const HEX = textBy((value) => inRadix(value, 16))
const UPPER_HEX = textBy((value) => ({ op: 'upper', text: inRadix(value, 16) }))

/** A byte in two hexadecimal digits: bytes stand in words of their own that mix digits and letters. */
function hexPair(isUpper: boolean): Notation {
  const letters = isUpper ? 'A-F' : 'a-f'
  return {
    find: new RegExp(`[0-9${letters}]{2}`, 'y'),
    shows: new RegExp(
      `(?<![\\p{L}\\p{N}])(?=[0-9]*[${letters}])(?=[${letters}]*[0-9])(?:[0-9${letters}]{2})+(?![\\p{L}\\p{N}])`,
      'u',
    ),
    isPlain: true,
    feature: 'hexPair',
    read: (text) => Number.parseInt(text, 16),
    write: (value) => {
      if (!Number.isInteger(value) || value < 0) return undefined
      const digits = value.toString(16).padStart(2, '0')
      return isUpper ? digits.toUpperCase() : digits
    },
    expr: (value) => {
      const digits = isUpper ? UPPER_HEX(bare(value), Cost.NONE) : HEX(bare(value), Cost.NONE)
      return padded('start', '0')(digits, Cost.NONE, fixedWidth(2, 0).of).expr
    },
  }
}

/** A time on a watch, counted in its smallest unit, from which the ones before it are 60 times larger each. */
function watch(places: 2 | 3): Notation {
  const size = 60 ** (places - 1)
  return {
    find: places === 2 ? /\d+:[0-5]\d(?![\d:])/y : /\d+:[0-5]\d:[0-5]\d(?![\d:])/y,
    isRare: true,
    feature: 'watch',
    read: (text) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0),
    write: (value, texts) => {
      if (!Number.isInteger(value) || value < 0) return undefined
      const parts = [Math.floor(value / size), ...(places === 3 ? [Math.floor(value / 60) % 60] : []), value % 60]
      const width = watchWidth(texts)
      return parts.map((part, at) => String(part).padStart(at === 0 ? width : 2, '0')).join(':')
    },
    expr: (value, texts) => {
      const count = bare(value)
      const whole = (unit: number) => roundNode(withConstant('div', count, unit, Cost.NONE), 0, 'floor', Cost.NONE)
      const rest = (of: NumberNode) => inDigits(withConstant('mod', of, 60, Cost.NONE).expr, 2)
      const middle = places === 3 ? [literal(':'), rest(whole(60))] : []
      return concat([inDigits(whole(size).expr, watchWidth(texts)), ...middle, literal(':'), rest(count)])
    },
  }
}

/** An expression as a node without values, to build others of it. */
function bare(expr: Expr): NumberNode {
  return { expr, cost: Cost.NONE, values: [] }
}

/** A whole number in so many digits at least. */
function inDigits(value: Expr, minDigits: number): Expr {
  return { op: 'formatNumber', value, minDigits }
}

/** Digits that the first place of a time has at least. */
function watchWidth(texts: readonly string[]): number {
  return texts.some((text) => /^0\d/.test(text)) ? 2 : 1
}

/** The letter at a place of the alphabet, as columns of sheets and rows of seats are named. */
function letterAt(isUpper: boolean): Notation {
  const alphabet = isUpper ? ALPHABET : ALPHABET.toLowerCase()
  return {
    find: isUpper ? /(?<!\p{L})[A-Z](?!\p{L})/uy : /(?<!\p{L})[a-z](?!\p{L})/uy,
    isPlain: true,
    feature: 'alphabet',
    read: (text) => alphabet.indexOf(text) + 1,
    write: (value) => (Number.isInteger(value) && value > 0 ? alphabet[value - 1] : undefined),
    expr: (value) => {
      const after = (place: Expr) => ({ op: 'exprPos', value: place }) as const
      return slice(literal(alphabet), after(calculation('sub', value, literal(1))), after(value))
    },
  }
}

const NOTATIONS: readonly Notation[] = [
  watch(2),
  watch(3),
  hexPair(false),
  hexPair(true),
  letterAt(true),
  letterAt(false),
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
    // One mark repeated as often as the number: bars, stars, underlines. It may be missing on some rows.
    find: RUN,
    isOptional: true,
    feature: 'repeatedMark',
    read: (text) => text.length,
    write: (value, texts) =>
      Number.isInteger(value) && value >= 0 && value <= MAX_RUN ? markOf(texts).repeat(value) : undefined,
    expr: (value, texts) => ({ op: 'repeat', text: literal(markOf(texts)), times: value }),
  },
]

/** The texts that a notation finds in the outputs at the starts; undefined where a row has none. */
function textsAt(
  { find, isOptional }: Notation,
  outputs: readonly string[],
  rows: readonly number[],
  starts: readonly number[],
): string[] | undefined {
  const texts = rows.map((row, i) => {
    find.lastIndex = starts[i] ?? 0
    return find.exec(outputs[row] ?? '')?.[0]
  })
  if (isOptional === true) return withoutOthers(texts)
  const found = texts.filter((text) => text !== undefined)
  return found.length < texts.length ? undefined : found
}

/** Lengths of runs, none among them, from which a mark that is missing on some rows is repeated rather than there or not. */
const MIN_RUNS = 3

/** Runs of the mark that most rows have, empty where a row has none; undefined where no mark is that of most. */
function withoutOthers(texts: readonly (string | undefined)[]): string[] | undefined {
  const marks = texts.map((text) => text?.slice(0, 1))
  const [most] = Map.groupBy(marks, (mark) => mark)
    .values()
    .toArray()
    .toSorted((a, b) => b.length - a.length)
  const [mark] = most ?? []
  if (mark === undefined || (most?.length ?? 0) * 2 <= texts.length) return undefined
  const runs = texts.map((text, i) => (marks[i] === mark ? (text ?? '') : ''))
  return runs.includes('') && new Set(runs).size < MIN_RUNS ? undefined : runs
}

/** Letters from which their places may be counts: of two labels `A` and `B`, some count of the row is 1 and 2 by chance. */
const MIN_LETTERS = 3

/** True for a number that the row writes, as a member or in digits. */
function isWritten(node: NumberNode): boolean {
  return isMember(node) || node.written !== undefined
}

const MASKED = /([^\p{L}\p{N}\s])\1/u
const MAX_MEASURED = 24

/** Lengths of pieces that runs of a mark may cover, where the outputs have such runs. */
function coveredLengths(outputs: readonly string[], pieces: readonly TextNode[]): NumberNode[] {
  if (!outputs.some((output) => MASKED.test(output))) return []
  return pieces
    .filter(({ values }) => new Set(values.map((value) => value?.length)).size > 1)
    .slice(0, MAX_MEASURED)
    .map((piece) => LENGTH(piece, piece.cost.with('length.text')))
}

/**
 * Explains ordinals, roman numerals, letters by their place in the alphabet, times on a watch, bytes in hexadecimal digits and runs of one mark in the outputs by
 * arithmetic over the rows' numbers; runs of a mark also by the lengths of pieces of text.
 */
export function namedNumberWitness(
  outputs: readonly string[],
  numbers: readonly NumberNode[],
  pieces: readonly TextNode[],
): Witness {
  const counted = [...numbers, ...coveredLengths(outputs, pieces)]
  const known = new Map<string, readonly TextNode[]>()
  const notations = NOTATIONS.filter(({ shows }) => shows === undefined || outputs.some((output) => shows.test(output)))
  const amountsFor = ({ isRare, feature }: Notation) =>
    isRare === true ? numbers.slice(0, RARE_NUMBERS) : feature === 'repeatedMark' ? counted : numbers
  const plainNumbers = ({ feature }: Notation, texts: readonly string[]) =>
    feature === 'alphabet' && new Set(texts).size < MIN_LETTERS ? numbers.filter(isWritten) : numbers
  const solve = (notation: Notation, rows: readonly number[], texts: readonly string[], budget: Budget) => {
    const key = `${rows.join()}|${texts.join('|')}|${notation.find.source}`
    const cached = known.get(key)
    if (cached !== undefined) return cached
    const values = texts.map(notation.read).filter((value) => value !== undefined)
    const found: TextNode[] = []
    const target = { rows, values, decimals: 0, isRoundedLater: false }
    const solved =
      values.length < texts.length
        ? []
        : notation.isPlain === true
          ? plainNumbers(notation, texts)
              .filter((node) => reaches(node, target))
              .slice(0, PER_TARGET)
          : solveNumber(amountsFor(notation), target, PER_TARGET, budget)
    for (const node of solved) {
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
    if (counted.length === 0) return edges
    for (const notation of notations) {
      if (rows.length < (notation.isRare === true ? RARE_ROWS : 2)) continue
      const texts = textsAt(notation, outputs, rows, starts)
      // A text that all rows share is a constant, and a single letter is rarely a numeral.
      if (texts === undefined || new Set(texts).size < 2) continue
      if (notation.write === romanText && texts.every((text) => text.length < 2)) continue
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
  ['radix', HEX],
  ...[2, 8].map((radix) => ['radix', textBy((value) => inRadix(value, radix))] as const),
  ['radix.upper', UPPER_HEX],
]

/** The numbers of the rows written in words, in other bases, as ordinals and as roman numerals. */
export function namedNumberTexts(numbers: readonly NumberNode[]): TextNode[] {
  return numbers
    .slice(0, MAX_NODES)
    .flatMap((node) => WRITINGS.map(([feature, write]) => write(node, node.cost.with(feature))))
}
