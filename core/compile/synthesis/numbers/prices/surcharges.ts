import type { Json } from '../../../../kernel/json/json.ts'
import { branchExpr } from '../../../language/expressions/branches.ts'
import { literal, lookup } from '../../search/build.ts'
import type { Budget } from '../../search/budget.ts'
import { numberBy } from '../../search/derived.ts'
import type { Node, NumberNode } from '../../search/node.ts'
import type { Scope } from '../../search/scope.ts'
import { costOf } from '../../ranking/cost.ts'
import { reaching } from '../fit.ts'
import { combine, withConstant } from '../number-node.ts'
import type { NumberTarget } from '../samples.ts'
import { numberCost } from '../tidy.ts'
import { biasedWeights, isProven, leastSquares } from './weighted-sums.ts'

const MAX_NUMBERS = 6
const MAX_CATEGORIES = 6
const MAX_TERMS = 14
/** Rows that no unknown is spent on: they prove the sum. */
const SPARE_ROWS = 3
const MAX_DIGITS = 4

/** A column of the sum: numbers of the rows, or 1 where a condition holds and 0 elsewhere. */
interface Term {
  readonly column: readonly (number | undefined)[]
  /** The term with its weight. */
  readonly times: (weight: number) => NumberNode
}

function numberTerm(node: NumberNode): Term {
  const times = (weight: number) =>
    weight === 1 ? node : withConstant('mul', node, weight, numberCost(weight).with('weightedSum.weight'))
  return { column: node.values, times }
}

/** A surcharge for a flag: the weight where it is set, and nothing elsewhere. */
function flagTerm(node: Node<boolean>): Term {
  const times = (weight: number): NumberNode => ({
    expr: branchExpr([{ when: node.expr, then: literal(weight) }], literal(0)),
    cost: node.cost.plus(numberCost(weight)).with('surcharge'),
    values: node.values.map((isSet) => (isSet === undefined ? undefined : isSet ? weight : 0)),
  })
  return { column: node.values.map((isSet) => (isSet === undefined ? undefined : Number(isSet))), times }
}

/** A term for each category of a text but the commonest, which the base amount holds; another category has no price. */
function categoryTerms(node: Node<string>, rows: readonly number[]): Term[] {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const value = node.values[row]
    if (value === undefined) return []
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const names = [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([name]) => name)
  if (names.length < 2 || names.length > MAX_CATEGORIES || names.some((name) => (counts.get(name) ?? 0) < 2)) return []
  return names.slice(1).map((name) => {
    const times = (weight: number) => {
      const cases = names.map((key) => ({ key, value: key === name ? weight : 0 }))
      return numberBy((of) => lookup(of, cases))(node, node.cost.plus(numberCost(weight)).with('surcharge'))
    }
    return { column: node.values.map((value) => (value === undefined ? undefined : Number(value === name))), times }
  })
}

function termsOf({ numbers, booleans, texts }: Scope, rows: readonly number[]): Term[] {
  const isVaried = ({ values }: Node<Json>) =>
    rows.every((row) => values[row] !== undefined) && new Set(rows.map((row) => values[row])).size > 1
  return [
    ...numbers.filter(isVaried).slice(0, MAX_NUMBERS).map(numberTerm),
    ...booleans.filter(isVaried).map(flagTerm),
    ...texts.flatMap((node) => categoryTerms(node, rows)),
  ]
}

/** Returns true when no weight rests on one row alone: without any of the different rows all weights are determined. */
function areSupported(columns: readonly (readonly number[])[]): boolean {
  const [first = []] = columns
  const rowsByKey = new Map(first.map((_, row) => [columns.map((column) => column[row]).join(), row] as const))
  const distinct = [...rowsByKey.values()]
  return distinct.every((left) => {
    const kept = distinct.filter((row) => row !== left)
    const rest = columns.map((column) => kept.map((row) => column[row] ?? 0))
    return (
      leastSquares(
        rest,
        kept.map(() => 0),
      ) !== undefined
    )
  })
}

/**
 * Finds prices as people set them: a sum of numbers of the input with weights, a base amount, and surcharges where a flag
 * is set or a member has a certain value. The rows determine all weights, and at least three more prove them.
 */
export function surcharges(scope: Scope, target: NumberTarget, budget: Budget): NumberNode[] {
  const { rows } = target
  const terms = termsOf(scope, rows)
  const isTooMany = terms.length > MAX_TERMS || rows.length < terms.length + 1 + SPARE_ROWS
  if (terms.length === 0 || isTooMany) return []
  const columns = [...terms.map(({ column }) => rows.map((row) => column[row] ?? 0)), rows.map(() => 1)]
  budget.spend(columns.length * rows.length)
  const fitted = leastSquares(columns, target.values)
  if (fitted === undefined || !areSupported(columns) || fitted.some((weight) => !Number.isFinite(weight))) return []
  const reached = (weights: readonly number[]): NumberNode | undefined => {
    const sum = sumOf(terms, weights)
    return sum === undefined ? undefined : reaching(sum, target, 'weightedSum.rounded')
  }
  const found = [...biasedWeights(columns.slice(0, -1), fitted, target)].flatMap((weights) => reached(weights) ?? [])
  for (let digits = 1; digits <= MAX_DIGITS; digits++) {
    const tidy = fitted.map((weight) => (Math.abs(weight) < 1e-6 ? 0 : Number(weight.toPrecision(digits))))
    const sum = isProven(tidy, target) ? reached(tidy) : undefined
    if (sum !== undefined) return [sum, ...found]
  }
  return found
}

function sumOf(terms: readonly Term[], weights: readonly number[]): NumberNode | undefined {
  const base = weights[terms.length] ?? 0
  const used = terms.flatMap(({ times }, at) => {
    const weight = weights[at] ?? 0
    return weight === 0 ? [] : [times(weight)]
  })
  const [first, ...others] = used
  if (first === undefined) return undefined
  const sum = others.reduce((all, one) => combine('add', all, one, costOf('add')), first)
  return base === 0 ? sum : withConstant('add', sum, base, numberCost(base).with('weightedSum.offset'))
}
