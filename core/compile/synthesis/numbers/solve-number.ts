import { isSameNumber } from '../../rows/equality/same-output.ts'
import type { ArithmeticOp } from '../../language/names.ts'
import type { Budget } from '../search/budget.ts'
import { numberBy } from '../search/derived.ts'
import { NodePool, type NumberNode } from '../search/node.ts'
import { isMember } from '../conditions/pair-predicates.ts'
import { fitNumber, reaches } from './fit.ts'
import { polynomials } from './polynomials.ts'
import type { NumberTarget } from './samples.ts'
import { combine, numberVectorKey } from './number-node.ts'
import { growth } from './prices/growth.ts'
import { percentChanges } from './prices/percent-changes.ts'
import { weightedSums } from './prices/weighted-sums.ts'
import { byCost, Cost, costBound, costOf } from '../ranking/cost.ts'

const MAX_SINGLE = 60
const MIN_COUNTS = 3
const MANY_ROWS = 6
const MAX_PAIRED = 22
const MAX_SQUARED = 8
const MAX_TRIPLED = 9
/** The same for the columns of a table with their factors: texts have many numbers that are hardly meant. */
const MAX_TRIPLED_COLUMNS = 12
const MAX_WRITTEN = 5
/** Fewer rows than these agree with a product of three numbers and a constant by chance. */
const MIN_SCALED_ROWS = 5
const PAIR_OPS: readonly { readonly op: ArithmeticOp; readonly cost: Cost; readonly isOrdered: boolean }[] = [
  { op: 'add', cost: costOf('add'), isOrdered: false },
  { op: 'sub', cost: costOf('subtract'), isOrdered: true },
  { op: 'mul', cost: costOf('multiply'), isOrdered: false },
  { op: 'div', cost: costOf('divide'), isOrdered: true },
  { op: 'min', cost: costOf('lesser'), isOrdered: false },
  { op: 'max', cost: costOf('greater'), isOrdered: false },
  { op: 'mod', cost: costOf('modulo'), isOrdered: true },
]

function isProductOp(op: string): boolean {
  return op === 'mul' || op === 'div'
}

const PRODUCT_OPS = PAIR_OPS.filter(({ op }) => isProductOp(op))

function quick(op: ArithmeticOp, x: number, y: number): number {
  switch (op) {
    case 'add':
      return x + y
    case 'sub':
      return x - y
    case 'mul':
      return x * y
    case 'div':
      return x / y
    case 'mod':
      return ((x % y) + y) % y
    case 'min':
      return Math.min(x, y)
    case 'max':
      return Math.max(x, y)
    case 'pow':
      return x ** y
  }
}

function* pairsOf(nodes: readonly NumberNode[], limit: number): Generator<NumberNode> {
  const few = nodes.slice(0, limit)
  for (const [i, a] of few.entries()) {
    for (const [j, b] of few.entries()) {
      if (i === j) continue
      for (const { op, cost, isOrdered } of PAIR_OPS) {
        if (!isOrdered && i > j) continue
        yield combine(op, a, b, cost)
      }
    }
  }
}

/** By how much the first number is more than the second one, as a part of either. */
function* relativeChanges(nodes: readonly NumberNode[]): Generator<NumberNode> {
  const few = nodes.slice(0, MAX_TRIPLED)
  for (const a of few) {
    for (const b of few) {
      if (a === b) continue
      const difference = combine('sub', a, b, costOf('relativeChange'))
      for (const whole of [b, a]) {
        // The whole is one of the two numbers, whose cost is counted.
        yield { ...combine('div', difference, whole, Cost.NONE), cost: difference.cost }
      }
    }
  }
}

function definedOn(nodes: readonly NumberNode[], rows: readonly number[]): NumberNode[] {
  const seen = new Set<string>()
  return nodes
    .filter((node) => rows.every((row) => node.values[row] !== undefined))
    .toSorted(byCost)
    .filter((node) => {
      const key = rows.map((row) => node.values[row]).join()
      return !seen.has(key) && seen.add(key) !== undefined
    })
}

/** The numbers that have a value on some rows, by what they are about, and the pairs of them. */
interface Material {
  readonly usable: readonly NumberNode[]
  readonly meant: readonly NumberNode[]
  /** Two numbers under an operator; undefined where a row gets no value. */
  readonly pairs: () => readonly (NumberNode | undefined)[]
}

/** The latest material of each list of numbers: targets on the same rows follow each other. */
const latest = new WeakMap<readonly NumberNode[], { readonly rows: string; readonly material: Material }>()

function materialOn(nodes: readonly NumberNode[], rows: readonly number[]): Material {
  const key = rows.join()
  const known = latest.get(nodes)
  if (known?.rows === key) return known.material
  const usable = definedOn(nodes, rows)
  const meant = usable.filter(({ about }) => about === undefined)
  const written = usable.filter(({ about }) => about === 'text')
  const isDefined = (pair: NumberNode) => rows.every((row) => pair.values[row] !== undefined)
  let pairs: readonly (NumberNode | undefined)[] | undefined
  const material: Material = {
    usable,
    meant,
    pairs: () =>
      (pairs ??= [...pairsOf(meant, MAX_PAIRED), ...pairsOf(written, MAX_WRITTEN)].map((pair) =>
        isDefined(pair) ? pair : undefined,
      )),
  }
  latest.set(nodes, { rows: key, material })
  return material
}

/** True for products and quotients of which some constant gives the target on all rows, before it is rounded. */
function isScaled(op: ArithmeticOp, a: NumberNode, b: NumberNode, target: NumberTarget): boolean {
  const half = 0.5 * 10 ** -target.decimals * 1.001
  let from = -Infinity
  let to = Infinity
  for (const [i, row] of target.rows.entries()) {
    const value = quick(op, a.values[row] ?? Number.NaN, b.values[row] ?? Number.NaN)
    const wanted = target.values[i] ?? 0
    const low = (wanted - half) / value
    const high = (wanted + half) / value
    from = Math.max(from, Math.min(low, high))
    to = Math.min(to, Math.max(low, high))
    // Also false where the value is no number.
    if (!(from <= to)) return false
  }
  return true
}

/**
 * Sums and products of three numbers that reach the target exactly (or after the rounding that the writer does), and
 * products and quotients of three that reach it times a constant: interest of so many months, a volume in another unit.
 */
function* tripled(nodes: readonly NumberNode[], target: NumberTarget, budget: Budget): Generator<NumberNode> {
  const [first] = nodes
  const most = first !== undefined && isMember(first) ? MAX_TRIPLED_COLUMNS : MAX_TRIPLED
  const few = nodes.slice(0, most)
  const pairs = [...pairsOf(few, most)].filter((pair) => target.rows.every((row) => pair.values[row] !== undefined))
  const tolerance = target.isRoundedLater ? 0.5 * 10 ** -target.decimals : 0
  const isNear = (op: ArithmeticOp, a: NumberNode, b: NumberNode) =>
    target.rows.every((row, i) => {
      const value = quick(op, a.values[row] ?? Number.NaN, b.values[row] ?? Number.NaN)
      const wanted = target.values[i] ?? 0
      return isSameNumber(value, wanted, target.tolerance) || Math.abs(value - wanted) <= tolerance * 1.001
    })
  for (const pair of pairs) {
    budget.spend(few.length)
    for (const node of few) {
      for (const { op, cost, isOrdered } of PAIR_OPS) {
        if (isNear(op, pair, node)) yield combine(op, pair, node, cost)
        if (isOrdered && isNear(op, node, pair)) yield combine(op, node, pair, cost)
      }
    }
  }
  const products = target.rows.length < MIN_SCALED_ROWS ? [] : pairs.filter(({ expr }) => isProductOp(expr.op))
  for (const pair of products) {
    for (const node of few) {
      for (const { op, cost, isOrdered } of PRODUCT_OPS) {
        if (isScaled(op, pair, node, target)) yield* fitNumber(combine(op, pair, node, cost), target)
        if (isOrdered && isScaled(op, node, pair, target)) yield* fitNumber(combine(op, node, pair, cost), target)
      }
    }
  }
}

/** Arithmetic for targets that are all below zero, over numbers that none is: what gives them without their signs. */
function negated(nodes: readonly NumberNode[], target: NumberTarget, k: number, budget: Budget): NumberNode[] {
  const isBelow = target.values.length > 0 && target.values.every((value) => value < 0)
  const least = (node: NumberNode) => Math.min(...target.rows.map((row) => node.values[row] ?? 0))
  if (!isBelow || nodes.some((node) => least(node) < 0)) return []
  const sizes = { ...target, values: target.values.map((value) => -value) }
  return solveNumber(nodes, sizes, k, budget).map((node) => NEGATED(node, node.cost.with('negate')))
}

const NEGATED = numberBy((value) => ({ op: 'neg', value }))

/**
 * True for numbers that constants may turn into the target. A count with two values on many rows tells two kinds of texts
 * apart.
 */
function isMeasure({ about, values }: NumberNode): boolean {
  if (about === 'digits' || about === 'digitSum') return false
  return about === undefined || values.length < MANY_ROWS || new Set(values).size >= MIN_COUNTS
}

/**
 * Finds arithmetic over the numbers of the rows that reaches the target: one number and constants that the rows
 * determine, two numbers and such constants, or three numbers. Cheapest first.
 */
export function solveNumber(
  nodes: readonly NumberNode[],
  target: NumberTarget,
  k: number,
  budget: Budget,
): NumberNode[] {
  // Digits of a text may be more than a number holds.
  if (!target.values.every(Number.isFinite)) return []
  const pool = new NodePool<number>(numberVectorKey)
  const { usable, meant, pairs } = materialOn(nodes, target.rows)
  for (const node of usable) if (reaches(node, target)) pool.add(node)
  for (const node of negated(nodes, target, k, budget)) pool.add(node)
  if (target.rows.length >= 2) {
    for (const node of usable.filter(isMeasure).slice(0, MAX_SINGLE)) {
      budget.spend(8)
      for (const found of fitNumber(node, target, true)) {
        pool.add(node.about === 'text' ? { ...found, cost: found.cost.with('formulaOfText') } : found)
      }
    }
    const isFound = () => pool.best().some((node) => node.cost.total < costBound('number.found'))
    if (!isFound()) {
      for (const pair of pairs()) {
        budget.spend(3)
        if (pair === undefined) continue
        if (reaches(pair, target)) pool.add(pair)
        else if (target.rows.length >= 3) for (const found of fitNumber(pair, target)) pool.add(found)
      }
    }
    for (const node of isFound() ? [] : meant.filter(isMeasure).slice(0, MAX_SQUARED)) {
      budget.spend(6)
      for (const curve of polynomials(node, target)) {
        if (reaches(curve, target)) pool.add(curve)
        else for (const found of fitNumber(curve, target)) pool.add(found)
      }
    }
    if (!isFound() && target.rows.length >= 3) {
      for (const change of relativeChanges(meant)) {
        budget.spend(3)
        if (reaches(change, target)) pool.add(change)
        else for (const found of fitNumber(change, target)) pool.add(found)
      }
      for (const found of weightedSums(meant, target, budget)) pool.add(found)
      for (const found of percentChanges(meant, target, budget)) pool.add(found)
      for (const found of growth(meant, target, budget)) pool.add(found)
    }
    if (pool.size === 0 && target.rows.length >= 3) {
      for (const found of tripled(meant, target, budget)) if (reaches(found, target)) pool.add(found)
    }
  }
  return pool.all().toSorted(byCost).slice(0, k)
}
