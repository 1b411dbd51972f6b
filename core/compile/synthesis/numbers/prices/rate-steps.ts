import { branchExpr } from '../../../language/expressions/branches.ts'
import { limitBetween, limitCost, passes, type Limit } from '../../conditions/thresholds.ts'
import { literal } from '../../search/build.ts'
import type { Budget } from '../../search/budget.ts'
import type { NumberNode } from '../../search/node.ts'
import { costOf } from '../../ranking/cost.ts'
import { reaching } from '../fit.ts'
import { combine } from '../number-node.ts'
import type { NumberTarget } from '../samples.ts'
import { digitsOf, numberCost, simplestBetween } from '../tidy.ts'
import { isProven } from './weighted-sums.ts'

const MAX_NUMBERS = 4
const MOST_STEPS = 5
const MIN_ROWS = 6
const MAX_DIGITS = 4
const NOISE = 1e-9

/** Rows between two limits, which have one rate. */
interface Step {
  readonly first: number
  readonly last: number
  readonly rate: number
  readonly rows: number
}

/** Cuts the rows, in the order of a number, into steps of one rate each; undefined where the rates are none that people set. */
function stepsOf(key: NumberNode, amount: NumberNode, { rows, values, decimals }: NumberTarget): Step[] | undefined {
  const half = Math.max(0.5 * 10 ** -decimals, NOISE)
  const sorted: { readonly x: number; readonly low: number; readonly high: number }[] = []
  for (const [i, row] of rows.entries()) {
    const [x, base, t] = [key.values[row], amount.values[row], values[i]]
    if (x === undefined || base === undefined || t === undefined || base <= 0) return undefined
    sorted.push({ x, low: (t - half) / base, high: (t + half) / base })
  }
  sorted.sort((a, b) => a.x - b.x)
  const steps: Step[] = []
  let at = 0
  while (at < sorted.length) {
    let [low, high] = [-Infinity, Infinity]
    let end = at
    for (; end < sorted.length; end++) {
      const met = [Math.max(low, sorted[end]?.low ?? 0), Math.min(high, sorted[end]?.high ?? 0)] as const
      if (met[0] > met[1]) break
      ;[low, high] = met
    }
    const rate = low <= 1 && high >= 1 ? 1 : simplestBetween(low, high)
    const [first, last] = [sorted[at]?.x, sorted[end - 1]?.x]
    if (rate === undefined || first === undefined || last === undefined || steps.length === MOST_STEPS) return undefined
    if (digitsOf(rate) > (end - at > 1 ? MAX_DIGITS : 1) || first === steps.at(-1)?.last) return undefined
    steps.push({ first, last, rate, rows: end - at })
    at = end
  }
  return steps
}

/** The rate that the limits of a number choose. */
function rateOf(key: NumberNode, steps: readonly Step[], limits: readonly Limit[]): NumberNode {
  const lowest = steps[0]?.rate ?? 1
  const higher = limits.map((limit, at) => ({ limit, rate: steps[at + 1]?.rate ?? lowest })).toReversed()
  const cases = higher.map(({ limit, rate }) => ({
    when: { op: limit.op, left: key.expr, right: literal(limit.value) } as const,
    then: literal(rate),
  }))
  const cost = limits.reduce(
    (sum, limit) => sum.with('rateStep').plus(limitCost(limit)),
    steps.reduce((sum, { rate }) => sum.plus(numberCost(rate)), key.cost),
  )
  const rateAt = (value: number): number => higher.find(({ limit }) => passes(value, limit))?.rate ?? lowest
  return {
    expr: branchExpr(cases, literal(lowest)),
    cost,
    values: key.values.map((value) => (value === undefined ? undefined : rateAt(value))),
  }
}

/**
 * Finds amounts times a rate that depends on the step in which a number lies, such as a discount from 10 pieces on:
 * `count * price * (0.9 from 10 on, else 1)`. The amount is a number of the rows or the product of two.
 */
export function rateSteps(numbers: readonly NumberNode[], target: NumberTarget, budget: Budget): NumberNode[] {
  if (target.rows.length < MIN_ROWS) return []
  const few = numbers.filter((node) => target.rows.every((row) => node.values[row] !== undefined)).slice(0, MAX_NUMBERS)
  const products = few.flatMap((a, at) => few.slice(at + 1).map((b) => combine('mul', a, b, costOf('multiply'))))
  const found: NumberNode[] = []
  for (const amount of [...few, ...products]) {
    for (const key of [...few, ...products.filter((product) => product === amount)]) {
      budget.spend(target.rows.length)
      const steps = stepsOf(key, amount, target)
      const isShown = steps !== undefined && steps.length > 1 && target.rows.length >= 2 * steps.length + 1
      const rates = steps?.map(({ rate }) => rate) ?? []
      // A sign comes from another part of the row, such as a mark of debits.
      if (rates.some((rate) => rate < 0)) continue
      if (!isShown || !isProven(rates, target)) continue
      const limits = steps.slice(1).map(({ first }, at) => limitBetween(steps[at]?.last ?? first, first))
      const product = combine('mul', amount, rateOf(key, steps, limits), costOf('multiply'))
      const right = reaching(product, target, 'weightedSum.rounded')
      if (right !== undefined) found.push(right)
    }
  }
  return found
}
