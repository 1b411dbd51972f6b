import type { Json } from '../../../kernel/json/json.ts'
import type { Expr, Pattern } from '../../language/ast.ts'
import { quantityParts, UNIT_NAMES, UNITS } from '../../language/primitives/numbers/units.ts'
import { shownOf } from '../search/unlabelled.ts'
import { absPos, literal, literalPattern, slice, splitItem, tokenPattern } from '../search/build.ts'
import { numberBy, textBy } from '../search/derived.ts'
import type { NumberNode, TextNode } from '../search/node.ts'
import type { Scope } from '../search/scope.ts'
import { Cost } from '../ranking/cost.ts'
import { calculation, combine, withConstant } from './number-node.ts'

const MAX_PIECES = 60
const MAX_JOINED = 3

/** All present texts pass, and so do two different ones at least. */
function areAll(values: readonly (string | undefined)[], test: RegExp): boolean {
  const present = values.filter((value) => value !== undefined)
  return new Set(present).size > 1 && present.every((value) => test.test(value))
}

const SCIENTIFIC = numberBy((text) => ({ op: 'parseJson', text }))
const HEXADECIMAL = inRadix(16)
const BINARY = inRadix(2)
/** Letters in the order in which columns, seats and lists are counted. */
export const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** Apart, since two letters are no place: `AB` is not the first one. */
const LETTERS_APART = literal(Array.from(ALPHABET).join(' '))
const PLACE_OF_LETTER = numberBy((text) => {
  const pattern: Pattern = { kind: 'text', text: { op: 'upper', text } }
  const index: Expr = { op: 'indexOf', text: LETTERS_APART, pattern, occurrence: 1 }
  return calculation('add', calculation('div', index, literal(2)), literal(1))
})
const ROMAN = numberBy((text) => ({ op: 'parseRoman', text }))
/** The plain decimals of a text with an exponent. */
const WITHOUT_EXPONENT = textBy((text) => ({ op: 'decimal', do: 'mul', left: text, right: literal(1) }))

function inRadix(radix: 2 | 16, piece: (text: Expr) => Expr = (text) => text) {
  return numberBy((text) => ({ op: 'parseRadix', text: piece(text), radix }))
}

/** Numbers in notations other than plain digits: `6.02e5`, `ff`, `XIV`. */
function inOtherNotations(piece: TextNode, shown: number): NumberNode[] {
  const { cost } = piece
  const values = shownOf(piece.values, shown)
  const out: NumberNode[] = []
  if (areAll(values, /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/) && values.some((value) => /e/i.test(value ?? '')))
    out.push({ ...SCIENTIFIC(piece, cost.with('readNumber.scientific')), written: WITHOUT_EXPONENT(piece, cost) })
  if (areAll(values, /^[0-9a-f]+$/i) && values.some((value) => /[a-f]/i.test(value ?? '')))
    out.push(HEXADECIMAL(piece, cost.with('readNumber.hexadecimal')))
  if (areAll(values, /^[01]+$/) && values.some((value) => (value?.length ?? 0) > 2))
    out.push(BINARY(piece, cost.with('readNumber.binary')))
  if (areAll(values, /^[IVXLCDM]+$/)) out.push(ROMAN(piece, cost.with('readNumber.roman')))
  return out
}

/** The places of single letters in the alphabet, where every target shows them. */
function placesOfLetters(piece: TextNode, rows: number, shown: readonly (readonly number[])[]): NumberNode[] {
  if (shown.length === 0 || !areAll(shownOf(piece.values, rows), /^[a-z]$/i)) return []
  const place = PLACE_OF_LETTER(piece, piece.cost.with('alphabet'))
  return shown.every((goals, row) => goals.some((goal) => goal === place.values[row])) ? [place] : []
}

const BYTES = /^#?(?:[0-9a-f]{2}){2,8}$/i

/** The bytes of a text of as many hexadecimal digits on every row, two digits each. */
function bytesOf(piece: TextNode, shown: number): NumberNode[] {
  const values = shownOf(piece.values, shown)
  const length = values[0]?.length ?? 0
  const areBytes = areAll(values, BYTES) && values.every((value) => value === undefined || value.length === length)
  if (!areBytes || !values.some((value) => /[a-f]/i.test(value ?? ''))) return []
  const places = Array.from({ length: length >> 1 }, (_, at) => (length % 2) + at * 2)
  return places.map((from) =>
    inRadix(16, (text) => slice(text, absPos('start', from), absPos('start', from + 2)))(
      piece,
      piece.cost.with('readNumber.byte'),
    ),
  )
}

/** Numbers of texts in places that are 60 times smaller each: how a text shows them, and where they stand. */
const SIXTIETHS = [
  {
    find: /^\d+(?::[0-5]\d){1,2}$/,
    feature: 'readNumber.watch',
    placesOf: (text: string) => text.split(':').length,
    part: (text: Expr, at: number): Expr => splitItem(text, literalPattern(':'), at),
  },
  {
    find: /^(?:[NESW] ?)?\d+(?:\.\d+)? ?[°º] ?\d+(?:\.\d+)? ?['′’](?: ?\d+(?:\.\d+)? ?(?:["″”]|''))?(?: ?[NESW])?$/,
    feature: 'readNumber.angle',
    placesOf: (text: string) => text.match(NUMBERS)?.length ?? 0,
    part: (text: Expr, at: number): Expr => ({
      op: 'extract',
      text,
      pattern: tokenPattern('number'),
      occurrence: at + 1,
    }),
  },
] as const
/** The hemisphere of an angle, at either end. */
const SIDE = /^[NESW]|[NESW]$/
const READ = numberBy((text) => ({ op: 'parseNumber', text }))

/** A time on a watch in its smallest unit, and an angle in degrees, of as many places on every row. */
function sixtiethsOf(piece: TextNode, shown: number): NumberNode[] {
  const values = shownOf(piece.values, shown)
  return SIXTIETHS.flatMap(({ find, feature, placesOf, part }) => {
    const places = placesOf(values[0] ?? '')
    if (!areAll(values, find) || values.some((value) => value !== undefined && placesOf(value) !== places)) return []
    // The side of the equator is no part of the number: where all rows show the same, another would be read like it.
    const sides = new Set(values.map((value) => SIDE.exec(value ?? '')?.[0]))
    if (sides.size === 1 && !sides.has(undefined)) return []
    const numbers = Array.from({ length: places }, (_, at) => {
      const number = READ(textBy((text) => part(text, at))(piece, piece.cost), Cost.NONE)
      const isWatch = feature === 'readNumber.watch'
      const unit = 60 ** (isWatch ? places - 1 - at : at)
      return unit === 1 ? number : withConstant(isWatch ? 'mul' : 'div', number, unit, Cost.NONE)
    })
    const total = numbers.reduce((sum, number) => combine('add', sum, number, Cost.NONE))
    return [{ ...total, cost: piece.cost.with(feature) }]
  })
}

const AMOUNT = /^[-+\u2212\p{Sc}P]{0,2} ?T?\d/u
const UNIT = /\d ?[\p{L}°'"′″µ]/u
const NUMBERS = /\d+(?:\.\d+)?/g
const KINDS = [...new Set(UNIT_NAMES.map((name) => UNITS[name].kind))]

/** The numbers that each target shows, without marks between thousands. */
function shownNumbers(targets: readonly Json[]): (readonly number[])[] {
  return targets.map((target) =>
    typeof target === 'number'
      ? [Math.abs(target)]
      : Array.from((typeof target === 'string' ? target : '').replaceAll(',', '').matchAll(NUMBERS), Number),
  )
}

/** True when some row shows about this value. */
function isNear(values: readonly (number | undefined)[], shown: readonly (readonly number[])[]): boolean {
  return values.some(
    (value, row) =>
      value !== undefined &&
      value !== 0 &&
      shown[row]?.some(
        (goal) => goal !== 0 && Math.abs(Math.abs(value) - goal) <= Math.min(0.5, Math.abs(value) / 20),
      ) === true,
  )
}

/** Amounts with units (`1.5K`, `2h 15m`, `12 km`) in the units that they are written in, and in those that targets show. */
function measured(piece: TextNode, rows: number, shown: readonly (readonly number[])[]): NumberNode[] {
  const { cost, values } = piece
  const present = shownOf(values, rows).filter((value) => value !== undefined)
  if (!present.every((value) => AMOUNT.test(value)) || !present.some((value) => UNIT.test(value))) return []
  return KINDS.flatMap((kind) => {
    const read = present.map((value) => quantityParts(value, kind))
    if (read.includes(undefined)) return []
    const used = new Set<string>(read.flatMap((one) => one?.parts.map((part) => part.unit) ?? []))
    const names = UNIT_NAMES.filter((name) => UNITS[name].kind === kind)
    return names.flatMap((to): NumberNode[] => {
      const isUsed = used.has(to)
      const amount = numberBy((text) => ({ op: 'readQuantity', text, to }))(
        piece,
        cost
          .with('readNumber.quantity')
          .when(kind === 'data1024', 'readNumber.quantity.binary')
          .when(!isUsed, 'readNumber.quantity.otherUnit'),
      )
      return isUsed || isNear(amount.values, shown) ? [amount] : []
    })
  })
}

const JOINED = textBy((unit, amount) => ({ op: 'concat', parts: [{ op: 'toText', of: amount }, literal(' '), unit] }))

/** An amount and its unit in separate members, as one text. */
function joined({ numbers, texts }: Scope): TextNode[] {
  return numbers
    .slice(0, MAX_JOINED)
    .flatMap((number) => texts.slice(0, MAX_JOINED).map((unit) => JOINED(unit, number.cost.plus(unit.cost), number)))
}

/** Quantities in texts other than plain numbers: other notations, and amounts with units. */
export function quantities(scope: Scope, pieces: readonly TextNode[], targets: readonly Json[]): NumberNode[] {
  const shown = shownNumbers(targets)
  const few = pieces.slice(0, MAX_PIECES)
  return [
    ...few.flatMap((piece) => [
      ...inOtherNotations(piece, scope.shown),
      ...bytesOf(piece, scope.shown),
      ...sixtiethsOf(piece, scope.shown),
      ...placesOfLetters(piece, scope.shown, shown),
    ]),
    ...[...few, ...joined(scope)].flatMap((text) => measured(text, scope.shown, shown)),
  ]
}
