import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { literal } from '../search/build.ts'
import type { Budget } from '../search/budget.ts'
import type { JsonNode, NumberNode, TextNode } from '../search/node.ts'
import type { DateNode } from '../dates/date-space.ts'
import { addDatePairs } from './date-pairs.ts'
import { addAbsentPairs, addNumberPairs, addTextPairs, ratios } from './pair-predicates.ts'
import type { Scope } from '../search/scope.ts'
import { PredicateSet, type Predicate } from './predicate.ts'
import { addTextPredicates } from './text-predicates.ts'
import { intervalsOf, limitCost, limitsOf, passes, stepsOf, usualLimits } from './thresholds.ts'

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

function addRootPredicates(set: PredicateSet, { expr, cost, values }: JsonNode): void {
  set.add(isAbsent(expr), cost.with('condition.empty'), 'structure', values.map(isEmptyValue))
  set.add(
    { op: 'eq', left: expr, right: literal(null) },
    cost.with('condition.null'),
    'structure',
    values.map((value) => value === null),
  )
  if (values.some((value) => typeof value === 'boolean'))
    set.add(
      expr,
      cost.with('condition.boolean'),
      'structure',
      values.map((value) => value === true),
    )
  for (const type of ['number', 'text', 'list', 'object', 'boolean'] as const) {
    const holds = values.map((value) => {
      if (type === 'text') return typeof value === 'string'
      if (type === 'list') return Array.isArray(value)
      if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
      return typeof value === type
    })
    set.add({ op: 'isType', of: expr, type }, cost.with('condition.type'), 'structure', holds)
  }
  for (const limit of stepsOf(
    values.map((value) => (Array.isArray(value) ? value.length : undefined)),
    6,
  )) {
    set.add(
      { op: 'ge', left: { op: 'length', of: expr }, right: literal(limit) },
      cost.with('condition.listLength'),
      'structure',
      values.map((value) => Array.isArray(value) && value.length >= limit),
    )
  }
}

/** Conditions on one number: limits, equality, divisibility. */
export function addNumberPredicates(set: PredicateSet, { expr, cost, values }: NumberNode): void {
  const usual = expr.op === 'datePart' ? usualLimits(expr.part) : []
  for (const limit of limitsOf(values, MAX_THRESHOLDS, usual)) {
    set.add(
      { op: limit.op, left: expr, right: literal(limit.value) },
      cost.with('condition.limit').plus(limitCost(limit)),
      'limit',
      values.map((value) => value !== undefined && passes(value, limit)),
    )
  }
  for (const { low, high, cost: ends } of intervalsOf(values)) {
    const of: Expr[] = [
      { op: 'ge', left: expr, right: literal(low) },
      { op: 'le', left: expr, right: literal(high) },
    ]
    const holds = values.map((value) => value !== undefined && value >= low && value <= high)
    set.add({ op: 'and', of }, cost.with('condition.interval').plus(ends), 'limit', holds)
  }
  for (const value of new Set(values)) {
    if (value === undefined) continue
    set.add(
      { op: 'eq', left: expr, right: literal(value) },
      cost.with(value === 0 || value === 1 ? 'condition.zeroOrOne' : 'condition.number'),
      'content',
      values.map((v) => v === value),
    )
  }
  if (values.every((value) => value === undefined || Number.isInteger(value))) {
    for (const divisor of DIVISORS) {
      const holds = values.map((value) => value !== undefined && value % divisor === 0)
      // One multiple alone, or zero, is no sign of divisibility.
      const multiples = new Set(values.filter((value) => value !== undefined && value !== 0 && value % divisor === 0))
      set.add(
        { op: 'eq', left: { op: 'mod', left: expr, right: literal(divisor) }, right: literal(0) },
        cost
          .with('condition.divisible')
          .with('condition.divisible.by', Math.min(divisor, MAX_COUNTED_DIVISOR))
          .when(divisor > 2 && multiples.size < 2, 'condition.divisible.unshown'),
        'structure',
        holds,
      )
    }
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
  for (const ratio of ratios(scope.numbers)) addNumberPredicates(set, ratio)
  addTextPairs(set, scope.texts)
  addNumberPairs(set, scope.numbers.length > 1 ? scope.numbers : [...scope.numbers, ...derived.numbers])
  addDatePairs(set, derived.dates)
  addAbsentPairs(set, scope.texts)
  return set.all()
}
