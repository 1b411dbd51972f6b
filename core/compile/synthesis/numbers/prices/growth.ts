import { literal } from '../../search/build.ts'
import type { Budget } from '../../search/budget.ts'
import type { NumberNode } from '../../search/node.ts'
import { Cost, costOf } from '../../ranking/cost.ts'
import { reaching } from '../fit.ts'
import { combine } from '../number-node.ts'
import type { NumberTarget } from '../samples.ts'
import { fittedCost, simplestBetween } from '../tidy.ts'

const MAX_NODES = 7
const MOST_PERIODS = 60
const MIN_PERIODS = 2
/** A rate with more digits than this is one that the rows determine by chance. */
const MOST_DECIMALS = 4

/** Whole numbers of periods, of which several rows have different ones. */
function arePeriods({ values }: NumberNode, rows: readonly number[]): boolean {
  const periods = rows.map((row) => values[row] ?? -1)
  const areCounts = periods.every((value) => Number.isInteger(value) && value >= 0 && value <= MOST_PERIODS)
  return areCounts && new Set(periods.filter((value) => value > 0)).size >= MIN_PERIODS
}

/** The factor of one period that gives the target on all rows, before it is rounded; undefined without one. */
function factorOf(amount: NumberNode, periods: NumberNode, target: NumberTarget): number | undefined {
  const half = 0.5 * 10 ** -target.decimals
  let low = 0
  let high = Infinity
  for (const [i, row] of target.rows.entries()) {
    const start = amount.values[row] ?? 0
    const count = periods.values[row] ?? 0
    const wanted = target.values[i] ?? 0
    if (start <= 0 || wanted <= half) return undefined
    const isReached = Math.abs(start - wanted) <= half
    if (count === 0 && !isReached) return undefined
    if (count === 0) continue
    low = Math.max(low, ((wanted - half) / start) ** (1 / count))
    high = Math.min(high, ((wanted + half) / start) ** (1 / count))
    if (low > high) return undefined
  }
  const factor = simplestBetween(low, high)
  const isShort = factor !== undefined && Number(factor.toFixed(MOST_DECIMALS)) === factor
  return isShort && factor !== 1 ? factor : undefined
}

/** True where the factors, rounded, may give the target: told before decimals are computed. */
function isNear(amount: NumberNode, factor: NumberNode, periods: NumberNode, target: NumberTarget): boolean {
  const unit = 1.01 * 10 ** -target.decimals
  return target.rows.every((row, i) => {
    const value = (amount.values[row] ?? 0) * (factor.values[row] ?? 0) ** (periods.values[row] ?? 0)
    return Math.abs(value - (target.values[i] ?? 0)) <= unit
  })
}

function grown(amount: NumberNode, factor: NumberNode, periods: NumberNode, target: NumberTarget): NumberNode[] {
  const power = combine('pow', factor, periods, costOf('growth'))
  const found = reaching(combine('mul', amount, power, Cost.NONE), target, 'growth.rounded')
  return found === undefined ? [] : [found]
}

/** One and a rate that is a share or a percentage of the rows. */
function ratedFactors(rate: NumberNode, rows: readonly number[]): NumberNode[] {
  const rates = rows.map((row) => rate.values[row] ?? -1)
  if (!rates.every((value) => value >= 0 && value <= 100)) return []
  const hundred: NumberNode = { expr: literal(100), cost: Cost.NONE, values: rate.values.map(() => 100) }
  const one: NumberNode = { expr: literal(1), cost: Cost.NONE, values: rate.values.map(() => 1) }
  const part = rates.every((value) => value <= 1) ? rate : combine('div', rate, hundred, Cost.NONE)
  return [combine('add', one, part, Cost.NONE), combine('sub', one, part, Cost.NONE)]
}

/**
 * Yields amounts that grow or shrink by the same part in every period: compound interest, depreciation. The rate is a constant
 * or a number of the rows; rounded as the target is.
 */
export function* growth(nodes: readonly NumberNode[], target: NumberTarget, budget: Budget): Generator<NumberNode> {
  const few = nodes.slice(0, MAX_NODES)
  const counts = few.filter((node) => arePeriods(node, target.rows))
  if (counts.length === 0) return
  const factorsOf = new Map(few.map((rate) => [rate, ratedFactors(rate, target.rows)]))
  for (const periods of counts) {
    for (const amount of few) {
      if (amount === periods) continue
      budget.spend(2)
      const constant = factorOf(amount, periods, target)
      if (constant !== undefined) {
        const factor = {
          expr: literal(constant),
          cost: fittedCost(constant),
          values: amount.values.map(() => constant),
        }
        yield* grown(amount, factor, periods, target)
      }
      for (const rate of few) {
        if (rate === amount || rate === periods) continue
        budget.spend(2)
        for (const factor of factorsOf.get(rate) ?? [])
          if (isNear(amount, factor, periods, target)) yield* grown(amount, factor, periods, target)
      }
    }
  }
}
