import type { Json } from '../../../kernel/json/json.ts'
import type { Expr, Pattern } from '../../language/ast.ts'
import type { NumberReading } from '../../language/primitives/numbers/number-text.ts'
import { literal, literalPattern, tokenPattern } from '../search/build.ts'
import { numberBy, textBy } from '../search/derived.ts'
import { NodePool, type NumberNode, type TextNode } from '../search/node.ts'
import type { ListNode } from '../lists/list-space.ts'
import { shownOf } from '../search/unlabelled.ts'
import type { Scope } from '../search/scope.ts'
import { quantities } from './quantities.ts'
import { combine, numberVectorKey, withConstant } from './number-node.ts'
import { byCost, costOf, type FeatureName } from '../ranking/cost.ts'

const MAX_PIECES = 160
const MAX_SUMS = 4

/** Ways to read a number, by what each costs; those after the first are tried where a text shows their marks. */
const READINGS: readonly {
  readonly feature: FeatureName
  readonly options: Partial<NumberReading>
  readonly shows?: RegExp
}[] = [
  { feature: 'readNumber', options: {} },
  { feature: 'readNumber.grouped', options: { group: ',' }, shows: /\d,\d{3}/ },
  { feature: 'readNumber.currency', options: { group: ',', currency: true }, shows: /[\p{Sc}A-Z]/u },
  { feature: 'readNumber.accounting', options: { group: ',', currency: true, parentheses: true }, shows: /\(/ },
  { feature: 'readNumber.percent', options: { percent: true }, shows: /%/ },
  { feature: 'readNumber.decimalComma', options: { decimal: ',', group: '.' }, shows: /\d[.,]\d/ },
  {
    feature: 'readNumber.decimalCommaCurrency',
    options: { decimal: ',', group: '.', currency: true },
    shows: /[\p{Sc}A-Z]/u,
  },
  { feature: 'readNumber.groupedBySpace', options: { group: ' ' }, shows: /\d[ \u00a0\u202f]\d{3}/ },
  {
    feature: 'readNumber.otherMarks',
    options: { decimal: ',', group: ' ' },
    shows: /\d[ \u00a0\u202f]\d{3}(?!\d)|\d,\d/,
  },
  { feature: 'readNumber.otherMarks', options: { group: "'" }, shows: /\d'\d{3}/ },
  { feature: 'readNumber.otherMarks', options: { group: '\u2019' }, shows: /\d\u2019\d{3}/ },
  { feature: 'readNumber.otherMarks', options: { group: ',', groups: 'indian' }, shows: /\d,\d\d,\d/ },
]
const READERS = READINGS.map((one) => ({
  ...one,
  read: numberBy((text) => ({ op: 'parseNumber', text, ...one.options })),
}))
const HAS_DIGIT = /\d/

function plainDecimal(text: Expr): Expr {
  return { op: 'keepChars', text, set: { classes: ['digit'], chars: '.-' } }
}

const PLAIN_DECIMAL = textBy(plainDecimal)
const HUNDREDTH = textBy((text) => ({ op: 'decimal', do: 'mul', left: plainDecimal(text), right: literal('0.01') }))

/** The text of a number in plain decimals, as `decimal` reads it; undefined for other readings. */
function writtenText(text: TextNode, reading: Partial<NumberReading>): TextNode | undefined {
  if (reading.decimal !== undefined || reading.parentheses === true) return undefined
  if (reading.percent === true) return HUNDREDTH(text, text.cost)
  return reading.group === undefined ? text : PLAIN_DECIMAL(text, text.cost)
}

/** Letters right before digits or a hyphen that are no name of a currency: the first part of a code. */
const CODE = /^(?:[A-Z]{1,2}\d|[A-Z]{1,3}-)/

/** Returns true for a number read from the digits of several parts of a text: a phone number is no quantity. */
export function isGlued({ expr }: NumberNode): boolean {
  return GLUED.test(JSON.stringify(expr))
}

const GLUED = /"set":\{"classes":\["digit"\]\}/

/** Numbers as the pieces of text write them. */
export function parsedNumbers(pieces: readonly TextNode[]): NumberNode[] {
  const out: NumberNode[] = []
  const digits = pieces.filter((piece) => piece.values.some((value) => value !== undefined && HAS_DIGIT.test(value)))
  for (const piece of digits.slice(0, MAX_PIECES)) {
    for (const { feature, options, shows, read } of READERS) {
      if (shows !== undefined && !piece.values.some((value) => value !== undefined && shows.test(value))) continue
      if (options.currency === true && piece.values.some((value) => value !== undefined && CODE.test(value))) continue
      const number = read(piece, piece.cost.with(feature))
      if (number.values.every((value) => value === undefined)) continue
      const written = writtenText(piece, options)
      out.push({ ...number, ...(written === undefined ? {} : { written }) })
    }
  }
  return out
}

/** Returns the number of units of a text or of items of a list. */
export const LENGTH = numberBy((of) => ({ op: 'length', of }))
const countOf = (pattern: Pattern) => numberBy((text) => ({ op: 'count', text, pattern }))
const WORD_COUNT = countOf(tokenPattern('nonspace'))
const NUMBER_COUNT = countOf(tokenPattern('digits'))
const VOWELS = ['a', 'e', 'i', 'o']

function counts(texts: readonly TextNode[]): NumberNode[] {
  return texts
    .slice(0, 8)
    .flatMap((text) => [
      LENGTH(text, text.cost.with('length.text')),
      WORD_COUNT(text, text.cost.with('count.words')),
      NUMBER_COUNT(text, text.cost.with('count.numbers')),
    ])
}

function markCounts(texts: readonly TextNode[]): NumberNode[] {
  return texts.slice(0, 4).flatMap((node) => {
    const chars = node.values.flatMap((value) => Array.from(value ?? ''))
    const marks = [...new Set(chars.filter((char) => !/[\p{L}\p{N}]/u.test(char)))]
    return [...marks.slice(0, 8), ...VOWELS].map((mark) =>
      countOf(literalPattern(mark))(node, node.cost.with(VOWELS.includes(mark) ? 'count.vowel' : 'count.mark')),
    )
  })
}

const WORDS_AND_CHARS = /\p{L}+|\p{N}+|./gsu
const MAX_COUNTED = 60

/** Returns the counts of a letter, digit or word in a text that equal the target on every row. */
function wantedCounts({ texts, shown }: Scope, targets: readonly Json[]): NumberNode[] {
  const few =
    targets.length < 2 || new Set(targets).size < 2 || !targets.every(Number.isInteger) ? [] : texts.slice(0, 4)
  return few.flatMap((node) => {
    const values = shownOf(node.values, shown)
    const [most] = values.toSorted((a, b) => (b?.length ?? 0) - (a?.length ?? 0))
    const parts = new Set((most?.match(WORDS_AND_CHARS) ?? []).flatMap((word) => [word, ...Array.from(word)]))
    const isWanted = (part: string) =>
      values.every((value, row) => value !== undefined && value.split(part).length - 1 === targets[row])
    const wanted = [...parts].slice(0, MAX_COUNTED).filter((part) => /[\p{L}\p{N}]/u.test(part) && isWanted(part))
    return wanted.map((part) => countOf(literalPattern(part))(node, node.cost.with('count.mark')))
  })
}

const DISTINCT = numberBy((list) => ({ op: 'length', of: { op: 'unique', list } }))
const SUMMARIES = (['sum', 'average', 'smallest', 'largest'] as const).map((op) => ({
  feature: op,
  of: numberBy((list) => ({ op, list })),
}))
const MEDIAN = { feature: 'median', of: numberBy((list) => ({ op: 'average', list, kind: 'median' })) } as const
/** The second and the third number by size, from either end. */
const RANKS = [1, -2, 2, -3].map((index) => ({
  feature: index === 1 || index === -2 ? ('rank.second' as const) : ('rank.third' as const),
  of: numberBy((list) => ({ op: 'nth', list: { op: 'sort', list }, index })),
}))
/** The sum of texts with their decimals. */
const WRITTEN_SUM = textBy((list) => ({ op: 'decimalSum', list }))

/** Numbers that a list gives: how many items, and of numbers the sum, mean, least and most. */
function listNumbers(list: ListNode, targets: readonly Json[]): NumberNode[] {
  const { cost, values, texts } = list
  const out: NumberNode[] = [LENGTH(list, cost.with('length.list')), DISTINCT(list, cost.with('length.unique'))]
  const isNumeric = (items: readonly Json[]) => items.length > 0 && items.every((item) => typeof item === 'number')
  if (!values.some((items) => items !== undefined && isNumeric(items))) return out
  for (const { feature, of } of SUMMARIES) {
    const written = feature === 'sum' && texts !== undefined ? { written: WRITTEN_SUM(texts, texts.cost) } : {}
    out.push({ ...of(list, cost.with(feature)), ...written })
  }
  // Texts of dates and codes are lists of numbers too: of them, the median or a rank is hardly meant.
  const isShown = ({ values }: NumberNode) =>
    targets.every((target, row) => JSON.stringify(target).includes(String(values[row])))
  return [...out, ...[MEDIAN, ...RANKS].map(({ feature, of }) => of(list, cost.with(feature))).filter(isShown)]
}

/** Numbers of lists that were built from texts; lists of single characters are expensive and add no information. */
export function writtenNumbers(lists: readonly ListNode[], targets: readonly Json[]): NumberNode[] {
  const numbers = lists.flatMap((list) => {
    const text = JSON.stringify(list.expr)
    const isDigits = text.includes('"op":"chars"') || /"op":"(?:keys|values|entries|list)"/.test(text)
    const isMade = /"op":"(?:split|extractAll)"/.test(text)
    return listNumbers(list, targets).map((node): NumberNode =>
      isDigits && (text.includes('"op":"chars"') || node.expr.op === 'length')
        ? { ...node, cost: node.cost.with('number.ofDigits'), about: 'digits' }
        : isMade && node.expr.op === 'length'
          ? { ...node, about: 'text' }
          : node,
    )
  })
  return [...numbers, ...balances(numbers)]
}

/** Differences of sums over items of two kinds: what came in less what went out. */
function balances(numbers: readonly NumberNode[]): NumberNode[] {
  const sums = numbers.filter(({ expr }) => expr.op === 'sum' && JSON.stringify(expr.list).includes('"op":"filter"'))
  const few = sums.slice(0, MAX_SUMS)
  return few.flatMap((a) => few.flatMap((b) => (a === b ? [] : [combine('sub', a, b, costOf('balance'))])))
}

/** Factors of formulas from the input's own numbers: squares, and one minus or plus a share or percentage. */
function factors(numbers: readonly NumberNode[], shown: number): NumberNode[] {
  if (numbers.length < 2) {
    return numbers.flatMap((node) => {
      const isFraction = shownOf(node.values, shown).every((value) => value === undefined || (value >= 0 && value <= 1))
      const isWhole = shownOf(node.values, shown).every((value) => value === undefined || Number.isInteger(value))
      return isFraction && !isWhole ? [withConstant('mul', node, 100, costOf('factor.percent'))] : []
    })
  }
  return numbers.slice(0, 6).flatMap((node) => {
    const present = shownOf(node.values, shown).filter((value) => value !== undefined)
    const out = [withConstant('pow', node, 2, costOf('factor.square'))]
    const isFraction = present.every((value) => value >= 0 && value <= 1)
    const isPercentage = present.every((value) => value >= 0 && value <= 100)
    const share = isFraction ? node : isPercentage ? withConstant('div', node, 100, costOf('factor.share')) : undefined
    for (const op of share === undefined ? [] : (['sub', 'add'] as const)) {
      const one: NumberNode = { expr: literal(1), cost: costOf('factor.one'), values: node.values.map(() => 1) }
      if (share !== undefined) out.push(combine(op, one, share, costOf('factor.oneAndShare')))
    }
    return out
  })
}

/** Every number that programs can start from: members, numbers read from pieces of text, lengths and counts. */
export function buildNumberSpace(
  scope: Scope,
  pieces: readonly TextNode[],
  extra: readonly NumberNode[],
  targets: readonly Json[] = [],
): NumberNode[] {
  const pool = new NodePool<number>(numberVectorKey, scope.shown)
  for (const node of [
    ...scope.numbers,
    ...factors(scope.numbers, scope.shown),
    ...parsedNumbers(pieces),
    ...quantities(scope, pieces, targets),
    ...extra,
    ...[...counts(scope.texts), ...markCounts(scope.texts), ...wantedCounts(scope, targets)].map(
      (node): NumberNode => ({ ...node, about: 'text' }),
    ),
  ]) {
    pool.add(node)
  }
  return pool.best().toSorted(byCost)
}
