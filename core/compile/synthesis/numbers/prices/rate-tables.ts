import { lookup } from '../../search/build.ts'
import type { Budget } from '../../search/budget.ts'
import { numberBy } from '../../search/derived.ts'
import type { NumberNode, TextNode } from '../../search/node.ts'
import type { Scope } from '../../search/scope.ts'
import { costOf } from '../../ranking/cost.ts'
import { reaching } from '../fit.ts'
import { combine } from '../number-node.ts'
import type { NumberTarget } from '../samples.ts'
import { decimalsOf, simplestBetween } from '../tidy.ts'
import { isProven } from './weighted-sums.ts'

const MAX_NUMBERS = 5
const MAX_KEYS = 6
const MAX_RATES = 60
/** Rows for each rate, on average. */
const ROWS_PER_RATE = 2
/** Rates of as many decimals that may be in the interval which the rows leave; fewer where one amount alone leaves it. */
const MOST_BY_CHANCE = 1
const MOST_BY_CHANCE_OF_ONE = 0.1

/** Bounds of the rate of a key, from its rows. */
interface Bounds {
  readonly low: number
  readonly high: number
  readonly amounts: ReadonlySet<number>
}

/** Returns the simplest rate within bounds, unless some rate of its length would lie there by chance. */
function rateWithin({ low, high, amounts }: Bounds): number | undefined {
  const rate = simplestBetween(low, high)
  if (rate === undefined) return undefined
  const byChance = (high - low) * 10 ** decimalsOf([rate])
  return byChance <= (amounts.size > 1 ? MOST_BY_CHANCE : MOST_BY_CHANCE_OF_ONE) ? rate : undefined
}

/** The rate of each key that takes the numbers to the target, within the rounding of the target; undefined without one. */
function ratesOf(amount: NumberNode, key: TextNode, target: NumberTarget): Map<string, number> | undefined {
  const half = 0.5 * 10 ** -target.decimals
  const bounds = new Map<string, Bounds>()
  for (const [i, row] of target.rows.entries()) {
    const name = key.values[row]
    const x = amount.values[row]
    const t = target.values[i]
    if (name === undefined || x === undefined || t === undefined) return undefined
    // Nothing times any rate is nothing.
    if (x === 0 && t === 0) continue
    if (x === 0) return undefined
    const ends = [(t - half) / x, (t + half) / x]
    const known = bounds.get(name) ?? { low: -Infinity, high: Infinity, amounts: new Set<number>() }
    bounds.set(name, {
      low: Math.max(known.low, Math.min(...ends)),
      high: Math.min(known.high, Math.max(...ends)),
      amounts: new Set([...known.amounts, x]),
    })
    if (bounds.size > MAX_RATES) return undefined
  }
  if (bounds.size < 2 || target.rows.length < ROWS_PER_RATE * bounds.size) return undefined
  const rates = new Map<string, number>()
  for (const [name, within] of bounds) {
    const rate = rateWithin(within)
    if (rate === undefined) return undefined
    rates.set(name, rate)
  }
  const distinct = [...new Set(rates.values())]
  return distinct.length > 1 && isProven(distinct, target) ? rates : undefined
}

function rateOf(key: TextNode, rates: ReadonlyMap<string, number>): NumberNode {
  const cases = [...rates].map(([name, value]) => ({ key: name, value }))
  const cost = key.cost.with('rateTable').with('rateTable.rate', rates.size)
  return numberBy((of) => lookup(of, cases))(key, cost)
}

/**
 * Finds amounts times a rate that a text of the row decides, such as a tax by country: `net * rate[country]`. The amount
 * is a number of the input or the product of two.
 */
export function rateTables({ numbers, texts }: Scope, target: NumberTarget, budget: Budget): NumberNode[] {
  const few = numbers.filter((node) => target.rows.every((row) => node.values[row] !== undefined)).slice(0, MAX_NUMBERS)
  const products = few.flatMap((a, at) => few.slice(at + 1).map((b) => combine('mul', a, b, costOf('multiply'))))
  const found: NumberNode[] = []
  for (const key of texts.slice(0, MAX_KEYS)) {
    for (const amount of [...few, ...products]) {
      budget.spend(target.rows.length)
      const rates = ratesOf(amount, key, target)
      if (rates === undefined) continue
      const product = combine('mul', amount, rateOf(key, rates), costOf('multiply'))
      const right = reaching(product, target, 'weightedSum.rounded')
      if (right !== undefined) found.push(right)
    }
  }
  return found
}
