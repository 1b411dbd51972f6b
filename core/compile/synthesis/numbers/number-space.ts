import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { parseNumberText, type NumberReading } from '../../language/primitives/numbers/number-text.ts'
import { valueKey } from '../../language/primitives/values/json-values.ts'
import { tokenMatches } from '../../language/primitives/text/tokens.ts'
import { literal, tokenPattern } from '../search/build.ts'
import { NodePool, type Node, type NumberNode, type TextNode } from '../search/node.ts'
import { shownOf } from '../search/unlabelled.ts'
import type { Scope } from '../search/scope.ts'
import { quantities } from './quantities.ts'
import { combine, numberVectorKey, withConstant } from './number-node.ts'
import { byCost, costOf, type FeatureName } from '../ranking/cost.ts'

const MAX_PIECES = 160
const PLAIN: NumberReading = { decimal: '.', group: '', currency: false, percent: false, parentheses: false }

interface Reading {
  readonly feature: FeatureName
  readonly reading: NumberReading
  readonly expr: (text: Expr) => Expr
}

const READINGS: readonly Reading[] = [
  { feature: 'readNumber', reading: PLAIN, expr: (text) => ({ op: 'parseNumber', text }) },
  {
    feature: 'readNumber.grouped',
    reading: { ...PLAIN, group: ',' },
    expr: (text) => ({ op: 'parseNumber', text, group: ',' }),
  },
  {
    feature: 'readNumber.currency',
    reading: { ...PLAIN, group: ',', currency: true },
    expr: (text) => ({ op: 'parseNumber', text, group: ',', currency: true }),
  },
  {
    feature: 'readNumber.accounting',
    reading: { ...PLAIN, group: ',', currency: true, parentheses: true },
    expr: (text) => ({ op: 'parseNumber', text, group: ',', currency: true, parentheses: true }),
  },
  {
    feature: 'readNumber.percent',
    reading: { ...PLAIN, percent: true },
    expr: (text) => ({ op: 'parseNumber', text, percent: true }),
  },
  {
    feature: 'readNumber.decimalComma',
    reading: { ...PLAIN, decimal: ',', group: '.' },
    expr: (text) => ({ op: 'parseNumber', text, decimal: ',', group: '.' }),
  },
  {
    feature: 'readNumber.decimalCommaCurrency',
    reading: { ...PLAIN, decimal: ',', group: '.', currency: true },
    expr: (text) => ({ op: 'parseNumber', text, decimal: ',', group: '.', currency: true }),
  },
  {
    feature: 'readNumber.groupedBySpace',
    reading: { ...PLAIN, group: ' ' },
    expr: (text) => ({ op: 'parseNumber', text, group: ' ' }),
  },
]
const HAS_DIGIT = /\d/

/** Numbers as the pieces of text write them. */
export function parsedNumbers(pieces: readonly TextNode[]): NumberNode[] {
  const out: NumberNode[] = []
  const digits = pieces.filter((piece) => piece.values.some((value) => value !== undefined && HAS_DIGIT.test(value)))
  for (const piece of digits.slice(0, MAX_PIECES)) {
    for (const { feature, reading, expr } of READINGS) {
      const values = piece.values.map((value) => (value === undefined ? undefined : parseNumberText(value, reading)))
      if (values.every((value) => value === undefined)) continue
      out.push({ expr: expr(piece.expr), cost: piece.cost.with(feature), values })
    }
  }
  return out
}

function counts(texts: readonly TextNode[]): NumberNode[] {
  return texts.slice(0, 8).flatMap(({ expr, cost, values }) => [
    { expr: { op: 'length', of: expr }, cost: cost.with('length.text'), values: values.map((value) => value?.length) },
    {
      expr: { op: 'count', text: expr, pattern: tokenPattern('nonspace') },
      cost: cost.with('count.words'),
      values: values.map((value) => (value === undefined ? undefined : tokenMatches(value, 'nonspace').length / 2)),
    },
    {
      expr: { op: 'count', text: expr, pattern: tokenPattern('digits') },
      cost: cost.with('count.numbers'),
      values: values.map((value) => (value === undefined ? undefined : tokenMatches(value, 'digits').length / 2)),
    },
  ])
}

function markCounts(texts: readonly TextNode[]): NumberNode[] {
  const out: NumberNode[] = []
  for (const { expr, cost, values } of texts.slice(0, 4)) {
    const marks = new Set(
      values.flatMap((value) => Array.from(value ?? '').filter((char) => !/[\p{L}\p{N}]/u.test(char))),
    )
    const vowels = ['a', 'e', 'i', 'o']
    for (const mark of [...[...marks].slice(0, 8), ...vowels]) {
      out.push({
        expr: { op: 'count', text: expr, pattern: { kind: 'literal', text: mark } },
        cost: cost.with(vowels.includes(mark) ? 'count.vowel' : 'count.mark'),
        values: values.map((value) => (value === undefined ? undefined : value.split(mark).length - 1)),
      })
    }
  }
  return out
}

function isNumberList(value: readonly Json[]): value is readonly number[] {
  return value.every((item) => typeof item === 'number')
}

/** Numbers that a list gives: how many items, and of numbers the sum, mean, least and most. */
export function listNumbers(lists: readonly Node<readonly Json[]>[]): NumberNode[] {
  const out: NumberNode[] = []
  for (const { expr, cost, values } of lists) {
    out.push({
      expr: { op: 'length', of: expr },
      cost: cost.with('length.list'),
      values: values.map((value) => value?.length),
    })
    out.push({
      expr: { op: 'length', of: { op: 'unique', list: expr } },
      cost: cost.with('length.unique'),
      values: values.map((value) =>
        value === undefined ? undefined : new Set(value.map((item) => valueKey(item))).size,
      ),
    })
    const numeric = values.map((value) => (value !== undefined && isNumberList(value) ? value : undefined))
    if (!numeric.some((value) => value !== undefined && value.length > 0)) continue
    const sum = (list: readonly number[]) => Number(list.reduce((total, item) => total + item, 0).toPrecision(15))
    const add = (op: 'sum' | 'average' | 'smallest' | 'largest', of: (list: readonly number[]) => number) =>
      out.push({
        expr: { op, list: expr },
        cost: cost.with(op),
        values: numeric.map((list) =>
          list === undefined || (list.length === 0 && op !== 'sum') ? undefined : of(list),
        ),
      })
    add('sum', sum)
    add('average', (list) => sum(list) / list.length)
    add('smallest', (list) => Math.min(...list))
    add('largest', (list) => Math.max(...list))
  }
  return out
}

/** Numbers of lists that were built from texts; lists of single characters are expensive and add no information. */
export function writtenNumbers(lists: readonly Node<readonly Json[]>[]): NumberNode[] {
  return lists.flatMap((list) => {
    const text = JSON.stringify(list.expr)
    const isDigits = text.includes('"op":"chars"') || /"op":"(?:keys|values|entries|list)"/.test(text)
    const isMade = /"op":"(?:split|extractAll)"/.test(text)
    return listNumbers([list]).map((node): NumberNode =>
      isDigits && (text.includes('"op":"chars"') || node.expr.op === 'length')
        ? { ...node, cost: node.cost.with('number.ofDigits'), about: 'digits' }
        : isMade && node.expr.op === 'length'
          ? { ...node, about: 'text' }
          : node,
    )
  })
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
): NumberNode[] {
  const pool = new NodePool<number>(numberVectorKey, scope.shown)
  for (const node of [
    ...scope.numbers,
    ...factors(scope.numbers, scope.shown),
    ...parsedNumbers(pieces),
    ...quantities(scope.texts, pieces, scope.shown),
    ...extra,
    ...[...counts(scope.texts), ...markCounts(scope.texts)].map((node): NumberNode => ({ ...node, about: 'text' })),
  ]) {
    pool.add(node)
  }
  return pool.best().toSorted(byCost)
}
