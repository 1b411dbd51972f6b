import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { validRemainder } from '../../language/expressions/conditions.ts'
import { equals, literal } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import type { JsonNode, NumberNode, TextNode } from '../search/node.ts'
import type { DateNode } from '../dates/date-space.ts'
import { addDatePairs } from './date-pairs.ts'
import { addNumberPairs, addTextPairs, dividedNumbers, ratios } from './pair-predicates.ts'
import type { Scope } from '../search/scope.ts'
import { PredicateSet, type Predicate } from './predicate.ts'
import { addTextPredicates } from './text-predicates.ts'
import { intervalsOf, limitCost, limitsOf, stepsOf, usualLimits } from './thresholds.ts'

const MAX_TEXTS = 12
const MAX_NUMBERS = 24
const MAX_THRESHOLDS = 24
/** Larger divisors are as unusual as this one. */
const MAX_COUNTED_DIVISOR = 15
const DIVISORS = [2, 3, 4, 5, 7, 10, 15, 100] as const

/** Null, the empty text, the empty list, or not there at all. */
export function isAbsent(of: Expr): Expr {
  return of.op === 'field' || of.op === 'path'
    ? { op: 'orElse', of: [{ op: 'isEmpty', of }, literal(true)] }
    : { op: 'isEmpty', of }
}

function isEmptyValue(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && (Array.isArray(value) ? value.length : Object.keys(value).length) === 0
}

function addRootPredicates(set: PredicateSet, root: JsonNode): void {
  const { expr, cost, values } = root
  set.add(isAbsent(expr), cost.with('condition.empty'), 'structure', values.map(isEmptyValue))
  set.addOn(root, cost.with('condition.null'), 'structure', (left) => equals(left, null))
  if (values.some((value) => typeof value === 'boolean'))
    set.addOn(root, cost.with('condition.boolean'), 'structure', (of) => of)
  for (const type of ['number', 'text', 'list', 'object', 'boolean'] as const)
    set.addOn(root, cost.with('condition.type'), 'structure', (of) => ({ op: 'isType', of, type }))
  const lengths = values.map((value) => (Array.isArray(value) ? value.length : undefined))
  for (const limit of stepsOf(lengths, 6)) {
    const isLong = (of: Expr): Expr => ({ op: 'ge', left: { op: 'length', of }, right: literal(limit) })
    set.addOn(root, cost.with('condition.listLength'), 'structure', isLong)
  }
}

/** True where all of several multiples have a larger divisor as well. */
function isCoarse(multiples: readonly number[], divisor: number): boolean {
  const larger = DIVISORS.filter((other) => other > divisor && other % divisor === 0)
  return multiples.length > 2 && larger.some((other) => multiples.every((value) => value % other === 0))
}

/** Conditions on one number: limits, equality, divisibility. */
export function addNumberPredicates(set: PredicateSet, node: NumberNode): void {
  const { expr, cost } = node
  const valid = validRemainder(expr)
  if (valid !== undefined) {
    set.addOn(node, cost.with('condition.zeroOrOne'), 'content', (left) => equals(left, valid))
    return
  }
  if (node.about !== 'digitSum') addLimits(set, node)
  addDivisibility(set, node)
}

/** Limits, intervals and equality. */
function addLimits(set: PredicateSet, node: NumberNode): void {
  const { expr, cost, values } = node
  for (const limit of limitsOf(values, MAX_THRESHOLDS, usualLimits(expr))) {
    set.addOn(node, cost.with('condition.limit').plus(limitCost(limit)), 'limit', (left) => ({
      op: limit.op,
      left,
      right: literal(limit.value),
    }))
  }
  for (const { low, high, cost: ends } of intervalsOf(values)) {
    set.addOn(node, cost.with('condition.interval').plus(ends), 'limit', (left) => ({
      op: 'and',
      of: [
        { op: 'ge', left, right: literal(low) },
        { op: 'le', left, right: literal(high) },
      ],
    }))
  }
  for (const value of new Set(values)) {
    if (value === undefined) continue
    const equal = cost.with(value === 0 || value === 1 ? 'condition.zeroOrOne' : 'condition.number')
    set.addOn(node, equal, 'content', (left) => equals(left, value))
  }
}

function addDivisibility(set: PredicateSet, node: NumberNode): void {
  const { cost, values } = node
  if (!values.every((value) => value === undefined || Number.isInteger(value))) return
  for (const divisor of DIVISORS) {
    // One multiple alone, or zero, is no sign of divisibility.
    const multiples = new Set(values.filter((value) => value !== undefined && value !== 0 && value % divisor === 0))
    const divisible = cost
      .with('condition.divisible')
      .with('condition.divisible.by', Math.min(divisor, MAX_COUNTED_DIVISOR))
      .when(divisor > 2 && multiples.size < 2, 'condition.divisible.unshown')
      // Of even numbers alone that are all multiples of four, it is four that decides.
      .when(
        isCoarse(
          [...multiples].filter((value) => value !== undefined),
          divisor,
        ),
        'condition.divisible.coarse',
      )
    set.addOn(node, divisible, 'structure', (left) => ({
      op: 'eq',
      left: { op: 'mod', left, right: literal(divisor) },
      right: literal(0),
    }))
  }
}

/** Enumerates every condition that separates some working rows from others, cheapest first. */
export function enumeratePredicates(
  scope: Scope,
  derived: {
    readonly texts: readonly TextNode[]
    readonly numbers: readonly NumberNode[]
    readonly dates: readonly DateNode[]
  },
  budget: Budget,
): Predicate[] {
  const set = new PredicateSet()
  for (const root of scope.roots.slice(0, 40)) addRootPredicates(set, root)
  for (const node of [...scope.texts, ...derived.texts].slice(0, MAX_TEXTS)) {
    budget.spend(200)
    addTextPredicates(set, node)
  }
  for (const node of [...scope.numbers, ...derived.numbers].slice(0, MAX_NUMBERS)) {
    budget.spend(40)
    addNumberPredicates(set, node)
  }
  for (const ratio of ratios(dividedNumbers(scope.numbers, derived.numbers))) addNumberPredicates(set, ratio)
  addTextPairs(set, scope.texts)
  addNumberPairs(set, scope.numbers.length > 1 ? scope.numbers : [...scope.numbers, ...derived.numbers])
  addDatePairs(set, derived.dates)
  return set.all()
}
