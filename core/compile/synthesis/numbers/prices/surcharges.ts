import type { Json } from '../../../../kernel/json/json.ts'
import type { Expr } from '../../../language/ast.ts'
import { branchExpr } from '../../conditions/decision-list.ts'
import { equals, literal } from '../../search/build.ts'
import type { Budget } from '../../search/budget.ts'
import type { Node, NumberNode } from '../../search/node.ts'
import type { Scope } from '../../search/scope.ts'
import { costOf } from '../../ranking/cost.ts'
import { reaching } from '../fit.ts'
import { combine, withConstant } from '../number-node.ts'
import type { NumberTarget } from '../samples.ts'
import { numberCost } from '../tidy.ts'
import { isProven, leastSquares } from './weighted-sums.ts'

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

/** A surcharge: the weight where a condition holds, and nothing elsewhere. */
function conditionTerm(cond: Expr, holds: readonly (boolean | undefined)[], node: Node<Json>): Term {
  const times = (weight: number): NumberNode => ({
    expr: branchExpr([{ when: cond, then: literal(weight) }], literal(0)),
    cost: node.cost.plus(numberCost(weight)).with('surcharge'),
    values: holds.map((isSo) => (isSo === undefined ? undefined : isSo ? weight : 0)),
  })
  return { column: holds.map((isSo) => (isSo === undefined ? undefined : Number(isSo))), times }
}

/** A term for each category of a text but the commonest, which is the rest. */
function categoryTerms(node: Node<string>, rows: readonly number[]): Term[] {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const value = node.values[row]
    if (value === undefined) return []
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const names = [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([name]) => name)
  if (names.length < 2 || names.length > MAX_CATEGORIES || names.some((name) => (counts.get(name) ?? 0) < 2)) return []
  return names.slice(1).map((name) =>
    conditionTerm(
      equals(node.expr, name),
      node.values.map((value) => (value === undefined ? undefined : value === name)),
      node,
    ),
  )
}

function termsOf({ numbers, booleans, texts }: Scope, rows: readonly number[]): Term[] {
  const isKnown = (node: Node<Json>) => rows.every((row) => node.values[row] !== undefined)
  return [
    ...numbers.filter(isKnown).slice(0, MAX_NUMBERS).map(numberTerm),
    ...booleans.filter(isKnown).map((node) => conditionTerm(node.expr, node.values, node)),
    ...texts.flatMap((node) => categoryTerms(node, rows)),
  ]
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
  const columns = terms.map(({ column }) => rows.map((row) => column[row] ?? 0))
  budget.spend(columns.length * rows.length)
  const fitted = leastSquares([...columns, rows.map(() => 1)], target.values)
  if (fitted === undefined || fitted.some((weight) => !Number.isFinite(weight))) return []
  for (let digits = 1; digits <= MAX_DIGITS; digits++) {
    const tidy = fitted.map((weight) => (Math.abs(weight) < 1e-6 ? 0 : Number(weight.toPrecision(digits))))
    if (!isProven(tidy, target)) continue
    const sum = sumOf(terms, tidy)
    if (sum === undefined) return []
    const found = reaching(sum, target, 'weightedSum.rounded')
    if (found !== undefined) return [found]
  }
  return []
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
