import type { Expr } from '../../language/ast.ts'
import { combine } from '../numbers/number-node.ts'
import { literal } from '../search/build.ts'
import type { Node, NumberNode, TextNode } from '../search/node.ts'
import type { PredicateSet } from './predicate.ts'
import { limitCost, limitsOf, passes, roundestBetween } from './thresholds.ts'
import { Cost } from '../ranking/cost.ts'

const MAX_PAIRED = 8
const MAX_RATIOS = 3
const MAX_OPTIONAL = 4
const MAX_DISTANCES = 8

function* pairsOf<T>(nodes: readonly T[]): Generator<{ a: T; b: T; isFirst: boolean }> {
  const few = nodes.slice(0, MAX_PAIRED)
  for (const [i, a] of few.entries()) {
    for (const [j, b] of few.entries()) if (i !== j) yield { a, b, isFirst: i < j }
  }
}

function holdsOn<T>(a: Node<T>, b: Node<T>, test: (x: T, y: T) => boolean): boolean[] {
  return a.values.map((x, row) => {
    const y = b.values[row]
    return x !== undefined && y !== undefined && test(x, y)
  })
}

/** One text column is, holds, starts or ends with another one; or is the same but for letter case. */
export function addTextPairs(set: PredicateSet, texts: readonly TextNode[]): void {
  for (const { a, b, isFirst } of pairsOf(texts)) {
    const pattern = { kind: 'text', text: b.expr } as const
    if (isFirst) {
      const isSame = holdsOn(a, b, (x, y) => x === y)
      set.add({ op: 'eq', left: a.expr, right: b.expr }, a.cost.with('condition.texts.equal'), 'structure', isSame)
      const isAlike = holdsOn(a, b, (x, y) => x.toLowerCase() === y.toLowerCase())
      const lower = (text: Expr): Expr => ({ op: 'lower', text })
      set.add(
        { op: 'eq', left: lower(a.expr), right: lower(b.expr) },
        a.cost.with('condition.texts.alike'),
        'structure',
        isAlike,
      )
    }
    const holds = holdsOn(a, b, (x, y) => y !== '' && x.includes(y))
    set.add({ op: 'contains', text: a.expr, pattern }, a.cost.with('condition.texts.contains'), 'structure', holds)
    const starts = holdsOn(a, b, (x, y) => y !== '' && x.startsWith(y))
    set.add({ op: 'startsWith', text: a.expr, pattern }, a.cost.with('condition.texts.starts'), 'structure', starts)
    const ends = holdsOn(a, b, (x, y) => y !== '' && x.endsWith(y))
    set.add({ op: 'endsWith', text: a.expr, pattern }, a.cost.with('condition.texts.ends'), 'structure', ends)
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

function isMember({ op }: Expr): boolean {
  return op === 'field' || op === 'path' || op === 'nth'
}

/** Two numbers lie at most so far apart. */
function addDistance(set: PredicateSet, a: NumberNode, b: NumberNode): void {
  const difference = combine('sub', a, b, Cost.NONE)
  const distances = difference.values.map((value) => (value === undefined ? undefined : Math.abs(value)))
  const distance: Expr = { op: 'abs', value: difference.expr }
  for (const limit of limitsOf(distances, MAX_DISTANCES)) {
    // Nearness has an upper limit; limits are found from below, so the values are negated before and after.
    const within = distances.filter((value) => value !== undefined && !passes(value, limit))
    const beyond = distances.filter((value) => value !== undefined && passes(value, limit))
    const most = -roundestBetween(
      -Math.min(...beyond.flatMap((x) => x ?? [])),
      -Math.max(...within.flatMap((x) => x ?? [])),
    )
    set.add(
      { op: 'le', left: distance, right: literal(most) },
      a.cost.with('condition.distance').plus(limitCost({ op: 'ge', value: most })),
      'limit',
      distances.map((value) => value !== undefined && value <= most),
    )
  }
}

/** One number column equals, exceeds or stays below another one. */
export function addNumberPairs(set: PredicateSet, numbers: readonly NumberNode[]): void {
  for (const { a, b, isFirst } of pairsOf(numbers)) {
    if (!isFirst) continue
    // Numbers that were read out of texts or dates are hardly ever compared with one another.
    const isColumn = isMember(a.expr) && isMember(b.expr)
    const cost = isColumn
      ? a.cost.with(areComparable(a, b) ? 'condition.numbers' : 'condition.numbers.unlike')
      : a.cost.plus(b.cost).with('condition.numbers.derived')
    const sides = { left: a.expr, right: b.expr }
    const isEqual = holdsOn(a, b, (x, y) => x === y)
    const isMore = holdsOn(a, b, (x, y) => x > y)
    const isLess = holdsOn(a, b, (x, y) => x < y)
    set.add({ op: 'eq', ...sides }, cost.with('condition.numbers.equal'), 'structure', isEqual)
    set.add({ op: 'gt', ...sides }, cost, 'structure', isMore)
    set.add({ op: 'lt', ...sides }, cost, 'structure', isLess)
    if (isColumn && areComparable(a, b)) addDistance(set, a, b)
  }
}

/** Shares of one number column in another one, for limits such as half of the maximum. */
export function ratios(numbers: readonly NumberNode[]): NumberNode[] {
  const few = numbers.slice(0, MAX_RATIOS)
  return few.flatMap((a) =>
    few.flatMap((b) => {
      if (a === b || b.values.includes(0)) return []
      const ratio = combine('div', a, b, Cost.NONE)
      const isShare = ratio.values.every((value) => value === undefined || (value >= 0 && value <= 1))
      return [{ ...ratio, cost: a.cost.with(isShare ? 'ratio.share' : 'ratio') }]
    }),
  )
}

/** One of two texts is empty. */
export function addAbsentPairs(set: PredicateSet, texts: readonly TextNode[]): void {
  const optional = texts.filter(({ values }) => values.includes('') && values.some((value) => value !== ''))
  for (const { a, b, isFirst } of pairsOf(optional.slice(0, MAX_OPTIONAL))) {
    if (!isFirst) continue
    const of = [a, b].map(({ expr }): Expr => ({ op: 'eq', left: expr, right: literal('') }))
    set.add(
      { op: 'or', of },
      a.cost.with('condition.eitherEmpty'),
      'structure',
      holdsOn(a, b, (x, y) => x === '' || y === ''),
    )
  }
}
