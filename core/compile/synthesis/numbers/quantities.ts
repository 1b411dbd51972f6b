import type { Expr } from '../../language/ast.ts'
import { calculate } from '../../language/primitives/numbers/arithmetic.ts'
import { evaluatorOf } from '../../language/evaluate/columns.ts'
import type { FeatureName } from '../ranking/cost.ts'
import { shownOf } from '../search/unlabelled.ts'
import { INPUT, literal } from '../search/build.ts'
import { mapValues, type NumberNode, type TextNode } from '../search/node.ts'

const MAX_PIECES = 60
const MAX_ROOTS = 6

/** All present texts pass, and so do two different ones at least. */
function areAll(values: readonly (string | undefined)[], test: RegExp): boolean {
  const present = values.filter((value) => value !== undefined)
  return new Set(present).size > 1 && present.every((value) => test.test(value))
}

/** A notation of numbers that an operator reads, as the language evaluates it. */
function readingBy(feature: FeatureName, build: (text: Expr) => Expr): (piece: TextNode) => NumberNode {
  const evaluate = evaluatorOf(build(INPUT))
  return ({ expr, cost, values }) => ({
    expr: build(expr),
    cost: cost.with(feature),
    values: mapValues(values, (text) => {
      const answer = evaluate(text)
      return typeof answer === 'number' ? answer : undefined
    }),
  })
}

const SCIENTIFIC = readingBy('readNumber.scientific', (text) => ({ op: 'parseJson', text }))
const HEXADECIMAL = readingBy('readNumber.hexadecimal', (text) => ({ op: 'parseRadix', text, radix: 16 }))
const BINARY = readingBy('readNumber.binary', (text) => ({ op: 'parseRadix', text, radix: 2 }))
const ROMAN = readingBy('readNumber.roman', (text) => ({ op: 'parseRoman', text }))

/** Numbers in notations other than plain digits: `6.02e5`, `ff`, `XIV`. */
function inOtherNotations(piece: TextNode, shown: number): NumberNode[] {
  const values = shownOf(piece.values, shown)
  const out: NumberNode[] = []
  if (areAll(values, /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/) && values.some((value) => /e/i.test(value ?? '')))
    out.push(SCIENTIFIC(piece))
  if (areAll(values, /^[0-9a-f]+$/i) && values.some((value) => /[a-f]/i.test(value ?? ''))) out.push(HEXADECIMAL(piece))
  if (areAll(values, /^[01]+$/) && values.some((value) => (value?.length ?? 0) > 2)) out.push(BINARY(piece))
  if (areAll(values, /^[IVXLCDM]+$/)) out.push(ROMAN(piece))
  return out
}

const MULTIPLES = [
  { key: 'k', value: 1e3 },
  { key: 'm', value: 1e6 },
  { key: 'b', value: 1e9 },
  { key: 'bn', value: 1e9 },
  { key: 't', value: 1e12 },
] as const
const MULTIPLIED = /^\D*?(-?\d[\d,]*(?:\.\d+)?) ?(k|m|b|bn|t)?$/i

/** `1.5K`, `2M`, `300`: the number times the value of the letter after it. */
function multiplied({ expr, cost, values }: TextNode, shown: number): NumberNode[] {
  const present = shownOf(values, shown).filter((value) => value !== undefined)
  if (!present.every((value) => MULTIPLIED.test(value)) || !present.some((value) => /\d ?[kmbt]n?$/i.test(value)))
    return []
  const digits: Expr = { op: 'extract', text: expr, pattern: { kind: 'token', name: 'number' }, occurrence: 1 }
  const amount: Expr = { op: 'parseNumber', text: digits, group: ',' }
  const letters: Expr = {
    op: 'extract',
    text: expr,
    pattern: { kind: 'regex', regex: '[0-9] ?([A-Za-z]+)$' },
    occurrence: 1,
    group: 1,
  }
  const factor: Expr = {
    op: 'lookup',
    key: { op: 'orElse', of: [letters, literal('')] },
    cases: [...MULTIPLES],
    ignoreCase: true,
    default: literal(1),
  }
  return [
    {
      expr: { op: 'mul', left: amount, right: factor },
      cost: cost.with('readNumber.multiple'),
      values: mapValues(values, (value) => {
        const [, number = '', letter] = MULTIPLIED.exec(value) ?? []
        const multiple = MULTIPLES.find(({ key }) => key === letter?.toLowerCase())?.value ?? 1
        return calculate('mul', Number(number.replaceAll(',', '')), multiple)
      }),
    },
  ]
}

const UNITS = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3600 },
  { unit: 'm', seconds: 60 },
  { unit: 's', seconds: 1 },
] as const
const DURATION = /^(?:\d+(?:\.\d+)? *(?:d|h|m|s)[a-z]*[ ,]*)+$/i

function amountOf(value: string, find: RegExp): number {
  return Number(find.exec(value)?.[1] ?? 0)
}

/** `2h 15m`, `45m`, `1 hr 5 min`: all in minutes and in seconds, a part that is missing counts as none. */
function durations({ expr, cost, values }: TextNode, shown: number): NumberNode[] {
  const present = shownOf(values, shown).filter((value) => value !== undefined)
  if (!present.every((value) => DURATION.test(value))) return []
  const used = UNITS.map(({ unit, seconds }) => {
    const regex = `([0-9.]+) *${unit}`
    return { regex, seconds, find: new RegExp(regex, 'i') }
  }).filter(({ find }) => present.some((value) => find.test(value)))
  if (used.length < 2) return []
  const least = used.at(-1)?.seconds ?? 1
  return [...new Set([least, 60, 1])].flatMap((base): NumberNode[] => {
    if (base > least) return []
    let sum: Expr | undefined
    for (const { regex, seconds } of used) {
      const digits: Expr = {
        op: 'extract',
        text: expr,
        pattern: { kind: 'regex', regex, ignoreCase: true },
        occurrence: 1,
        group: 1,
      }
      const amount: Expr = { op: 'orElse', of: [{ op: 'parseNumber', text: digits }, literal(0)] }
      const term: Expr = seconds === base ? amount : { op: 'mul', left: amount, right: literal(seconds / base) }
      sum = sum === undefined ? term : { op: 'add', left: sum, right: term }
    }
    return sum === undefined
      ? []
      : [
          {
            expr: sum,
            cost: cost.with('readNumber.duration'),
            values: mapValues(values, (value) =>
              used.reduce((total, { find, seconds }) => total + (amountOf(value, find) * seconds) / base, 0),
            ),
          },
        ]
  })
}

/** Quantities in texts other than plain numbers: other notations, multiples, durations. */
export function quantities(texts: readonly TextNode[], pieces: readonly TextNode[], shown: number): NumberNode[] {
  return [
    ...pieces.slice(0, MAX_PIECES).flatMap((piece) => inOtherNotations(piece, shown)),
    ...texts.slice(0, MAX_ROOTS).flatMap((text) => [...multiplied(text, shown), ...durations(text, shown)]),
  ]
}
