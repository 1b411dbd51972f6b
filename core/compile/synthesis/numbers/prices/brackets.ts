import type { Budget } from '../../search/budget.ts'
import type { NumberNode } from '../../search/node.ts'
import { Cost, costOf } from '../../ranking/cost.ts'
import { reaching } from '../fit.ts'
import { combine, withConstant } from '../number-node.ts'
import type { NumberTarget } from '../samples.ts'
import { isNatural, numberCost, simplestBetween } from '../tidy.ts'
import { isProven } from './weighted-sums.ts'

const MAX_NODES = 5
const MOST_BRACKETS = 4
/** Rows that no unknown is spent on: they prove the brackets. */
const SPARE_ROWS = 2
const MIN_ROWS = 6
const NOISE = 1e-9

/** A number of a row, and the bounds of the target there. */
interface Point {
  readonly x: number
  readonly low: number
  readonly high: number
}

interface Range {
  readonly low: number
  readonly high: number
}

/** Neighbouring points on one line: `base` is its value at 0. */
interface Bracket {
  readonly first: number
  readonly last: number
  readonly slope: number
  readonly base: Range
}

function isEmpty({ low, high }: Range): boolean {
  return !(low <= high)
}

function meet(a: Range, b: Range): Range {
  return { low: Math.max(a.low, b.low), high: Math.min(a.high, b.high) }
}

/** Points in the order of their numbers, one for each number; undefined where two rows contradict each other. */
function pointsOf(
  node: NumberNode,
  factor: NumberNode | undefined,
  { rows, values, decimals }: NumberTarget,
  tolerance: number,
): Point[] | undefined {
  const half = Math.max(tolerance * 0.5 * 10 ** -decimals, NOISE)
  const byNumber = new Map<number, Point>()
  for (const [i, row] of rows.entries()) {
    const x = node.values[row]
    const times = factor === undefined ? 1 : factor.values[row]
    const t = values[i]
    if (x === undefined || times === undefined || times <= 0 || t === undefined) return undefined
    const here = { low: (t - half) / times, high: (t + half) / times }
    const met = meet(byNumber.get(x) ?? here, here)
    if (isEmpty(met)) return undefined
    byNumber.set(x, { x, ...met })
  }
  return [...byNumber.values()].toSorted((a, b) => a.x - b.x)
}

/** The slopes of the lines through two points. */
function slopesOf(a: Point, b: Point): Range {
  const width = b.x - a.x
  return { low: (b.low - a.high) / width, high: (b.high - a.low) / width }
}

function bracketOf(points: readonly Point[], slopes: Range): Bracket | undefined {
  const [first] = points
  const last = points.at(-1)
  const slope = slopes.low <= 0 && slopes.high >= 0 ? 0 : simplestBetween(slopes.low, slopes.high)
  if (first === undefined || last === undefined || slope === undefined) return undefined
  const base = points.reduce<Range>(
    (all, { x, low, high }) => meet(all, { low: low - slope * x - NOISE, high: high - slope * x + NOISE }),
    { low: -Infinity, high: Infinity },
  )
  return isEmpty(base) ? undefined : { first: first.x, last: last.x, slope, base }
}

/** The bracket of one point, where the amount does not grow: a least or a most amount, as people would choose it. */
function flatBracket(point: Point | undefined): Bracket | undefined {
  if (point === undefined) return undefined
  const { x, low, high } = point
  const amount = low <= 0 && high >= 0 ? 0 : simplestBetween(low, high)
  return amount === undefined || !isNatural(amount) ? undefined : { first: x, last: x, slope: 0, base: { low, high } }
}

/** Cuts the points into the fewest lines, from the least number on; undefined where the points show no line. */
function bracketsOf(points: readonly Point[]): Bracket[] | undefined {
  const brackets: Bracket[] = []
  let at = 0
  while (at < points.length) {
    let slopes: Range = { low: -Infinity, high: Infinity }
    let end = at + 1
    for (; end < points.length; end++) {
      const next = points[end]
      if (next === undefined) break
      const tried = points.slice(at, end).reduce((all, one) => meet(all, slopesOf(one, next)), slopes)
      if (isEmpty(tried)) break
      slopes = tried
    }
    if (brackets.length === MOST_BRACKETS) return undefined
    const line = end - at < 2 ? undefined : bracketOf(points.slice(at, end), slopes)
    const isSure = line !== undefined && (end - at > 2 || isNatural(line.slope))
    // Of two points on no usual line, the first or the last of all may lie alone in a flat bracket.
    const isOuter = at === 0 || at === points.length - 1
    const bracket = isSure ? line : isOuter ? flatBracket(points[at]) : undefined
    if (bracket === undefined) return undefined
    brackets.push(bracket)
    at = isSure ? end : at + 1
  }
  return brackets
}

/** The number at which one line goes over into the next, as people would choose it; undefined where they do not meet. */
function limitBetween(a: Bracket, b: Bracket): number | undefined {
  const slope = b.slope - a.slope
  if (slope === 0) return undefined
  const ends = [(a.base.low - b.base.high) / slope, (a.base.high - b.base.low) / slope]
  const { low, high } = meet(
    { low: Math.min(...ends), high: Math.max(...ends) },
    { low: a.last - NOISE, high: b.first + NOISE },
  )
  return low <= 0 && high >= 0 ? 0 : simplestBetween(low, high)
}

function times(node: NumberNode, weight: number): NumberNode {
  return weight === 1 ? node : withConstant('mul', node, weight, numberCost(weight).with('weightedSum.weight'))
}

/** The part of a number above a limit. */
function above(node: NumberNode, limit: number): NumberNode {
  if (limit === 0) return withConstant('max', node, 0, costOf('bracket'))
  const rest = withConstant('sub', node, limit, numberCost(limit).with('bracket'))
  return withConstant('max', rest, 0, Cost.NONE)
}

function sumOf(
  node: NumberNode,
  brackets: readonly Bracket[],
  limits: readonly number[],
  base: number,
): NumberNode | undefined {
  let sum = brackets[0]?.slope === 0 ? undefined : times(node, brackets[0]?.slope ?? 1)
  for (const [at, limit] of limits.entries()) {
    const weight = Number(((brackets[at + 1]?.slope ?? 0) - (brackets[at]?.slope ?? 0)).toPrecision(10))
    const part = above(node, limit)
    if (sum === undefined) sum = times(part, weight)
    else if (weight < 0) sum = combine('sub', sum, times(part, -weight), costOf('subtract'))
    else sum = combine('add', sum, times(part, weight), costOf('add'))
  }
  if (sum === undefined || base === 0) return sum
  return withConstant(base > 0 ? 'add' : 'sub', sum, Math.abs(base), numberCost(base).with('weightedSum.offset'))
}

function fit(
  node: NumberNode,
  factor: NumberNode | undefined,
  target: NumberTarget,
  tolerance: number,
): NumberNode | undefined {
  const points = pointsOf(node, factor, target, tolerance)
  const brackets = points === undefined ? undefined : bracketsOf(points)
  if (points === undefined || brackets === undefined || brackets.length < 2) return undefined
  const limits: number[] = []
  for (const [at, bracket] of brackets.slice(1).entries()) {
    const before = brackets[at]
    const limit = before === undefined ? undefined : limitBetween(before, bracket)
    if (limit === undefined) return undefined
    limits.push(limit)
  }
  const { low, high } = brackets[0]?.base ?? { low: 1, high: 0 }
  const base = low <= 0 && high >= 0 ? 0 : simplestBetween(low, high)
  if (base === undefined) return undefined
  const unknowns = [...brackets.map(({ slope }) => slope), ...limits, ...(base === 0 ? [] : [base])]
  if (points.length < unknowns.length + SPARE_ROWS || !isProven(unknowns, target)) return undefined
  const sum = sumOf(node, brackets, limits, base)
  if (sum === undefined) return undefined
  const whole = factor === undefined ? sum : combine('mul', factor, sum, costOf('multiply'))
  return reaching(whole, target, 'weightedSum.rounded')
}

/**
 * Finds amounts that grow at another rate in each bracket of a number, such as a tax or overtime:
 * `rate * (hours + 0.5 * max(hours - 40, 0))`. The brackets meet at limits that people would choose, and the amount may be
 * multiplied by a second number.
 */
export function brackets(numbers: readonly NumberNode[], target: NumberTarget, budget: Budget): NumberNode[] {
  if (target.rows.length < MIN_ROWS) return []
  const few = numbers.filter((node) => target.rows.every((row) => node.values[row] !== undefined)).slice(0, MAX_NODES)
  return few.flatMap((node) =>
    [undefined, ...few.filter((other) => other !== node)].flatMap((factor) => {
      budget.spend(target.rows.length)
      return fit(node, factor, target, 0) ?? fit(node, factor, target, 1) ?? []
    }),
  )
}
