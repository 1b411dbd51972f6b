import type { Build } from '../../language/evaluate/columns.ts'
import { combine, withConstant } from '../numbers/number-node.ts'
import type { NumberNode, TextNode } from '../search/node.ts'
import type { PredicateSet } from './predicate.ts'
import { Cost } from '../ranking/cost.ts'

const MAX_PAIRED = 8
const MAX_RATIOS = 3

function* pairsOf<T>(nodes: readonly T[]): Generator<{ a: T; b: T; isFirst: boolean }> {
  const few = nodes.slice(0, MAX_PAIRED)
  for (const [i, a] of few.entries()) {
    for (const [j, b] of few.entries()) if (i !== j) yield { a, b, isFirst: i < j }
  }
}

const SAME: Build = (left, right) => ({ op: 'eq', left, right })
const SAME_BUT_CASE: Build = (left, right) => SAME({ op: 'lower', text: left }, { op: 'lower', text: right })
const PARTS = [
  { op: 'contains', feature: 'condition.texts.contains' },
  { op: 'startsWith', feature: 'condition.texts.starts' },
  { op: 'endsWith', feature: 'condition.texts.ends' },
] as const

/** One text column is, holds, starts or ends with another one; or is the same but for letter case. */
export function addTextPairs(set: PredicateSet, texts: readonly TextNode[]): void {
  for (const { a, b, isFirst } of pairsOf(texts)) {
    if (isFirst) {
      set.addOn(a, a.cost.with('condition.texts.equal'), 'structure', SAME, b)
      set.addOn(a, a.cost.with('condition.texts.alike'), 'structure', SAME_BUT_CASE, b)
    }
    for (const { op, feature } of PARTS) {
      const holds: Build = (text, part) => ({ op, text, pattern: { kind: 'text', text: part } })
      set.addOn(a, a.cost.with(feature), 'structure', holds, b)
    }
  }
}

function rangeOf({ values }: NumberNode): readonly [number, number] {
  const present = values.filter((value) => value !== undefined)
  return [Math.min(...present), Math.max(...present)]
}

/** Returns true when both columns hold numbers of one kind, judged by their ranges. */
function areComparable(a: NumberNode, b: NumberNode): boolean {
  const [lowA, highA] = rangeOf(a)
  const [lowB, highB] = rangeOf(b)
  return lowA <= highB && lowB <= highA && highA <= 20 * Math.max(highB, 1) && highB <= 20 * Math.max(highA, 1)
}

/** True for a member or an item of the input. */
export function isMember({ expr: { op } }: NumberNode): boolean {
  return op === 'field' || op === 'path' || op === 'nth'
}

/** One number column equals, exceeds or stays below another one. */
export function addNumberPairs(set: PredicateSet, numbers: readonly NumberNode[]): void {
  for (const { a, b, isFirst } of pairsOf(numbers)) {
    if (!isFirst) continue
    // Numbers that were read out of texts or dates are hardly ever compared with one another.
    const isColumn = isMember(a) && isMember(b)
    const cost = isColumn
      ? a.cost.with(areComparable(a, b) ? 'condition.numbers' : 'condition.numbers.unlike')
      : a.cost.plus(b.cost).with('condition.numbers.derived')
    set.addOn(a, cost.with('condition.numbers.equal'), 'structure', SAME, b)
    for (const op of ['gt', 'lt'] as const) set.addOn(a, cost, 'structure', (left, right) => ({ op, left, right }), b)
  }
}

/** True for a number that a text writes, as opposed to one put together from its digits. */
function isWrittenOut({ expr }: NumberNode): boolean {
  return expr.op === 'parseNumber' && (expr.text.op === 'extract' || expr.text.op === 'nth')
}

/** True for the smallest or the largest of several numbers: the ends of a range, where a text writes two. */
function isExtreme({ expr: { op } }: NumberNode): boolean {
  return op === 'smallest' || op === 'largest'
}

/** The numbers whose ratios are taken: members, and those that a text writes where there is one member at most. */
export function dividedNumbers(members: readonly NumberNode[], read: readonly NumberNode[]): readonly NumberNode[] {
  return members.length > 1 ? members : [...members, ...read.filter(isWrittenOut)]
}

/**
 * The numbers that are compared with one another: members; and, where there is one member at most, those that a text
 * writes, and the smallest and the largest of them, unless a member has their values.
 */
export function comparedNumbers(members: readonly NumberNode[], read: readonly NumberNode[]): readonly NumberNode[] {
  if (members.length > 1) return members
  const known = new Set(members.map(({ values }) => values.join()))
  const others = read.filter((node) => isWrittenOut(node) || isExtreme(node))
  return [...members, ...others.filter(({ values }) => !known.has(values.join()))]
}

/** Shares of one number column in another one, or in its square, for limits such as half of the maximum. */
export function ratios(numbers: readonly NumberNode[]): NumberNode[] {
  const few = numbers.slice(0, MAX_RATIOS)
  return few.flatMap((a) =>
    few.flatMap((b) => {
      if (a === b || b.values.includes(0)) return []
      const ratio = combine('div', a, b, Cost.NONE)
      const isShare = ratio.values.every((value) => value === undefined || (value >= 0 && value <= 1))
      const ofSquare = combine('div', a, withConstant('pow', b, 2, Cost.NONE), Cost.NONE)
      return [
        { ...ratio, cost: a.cost.with(isShare ? 'ratio.share' : 'ratio') },
        { ...ofSquare, cost: a.cost.with('ratio.ofSquare') },
      ]
    }),
  )
}
