import { isSameNumber } from '../../../rows/equality/same-output.ts'
import { lookup } from '../../search/build.ts'
import type { Budget } from '../../search/budget.ts'
import { numberBy } from '../../search/derived.ts'
import type { NumberNode, TextNode } from '../../search/node.ts'
import type { Scope } from '../../search/scope.ts'
import { costOf } from '../../ranking/cost.ts'
import { reaching } from '../fit.ts'
import { combine, withConstant } from '../number-node.ts'
import { areShorter, type NumberTarget } from '../samples.ts'
import { decimalsOf, isNatural, numberCost, simplestBetween } from '../tidy.ts'
import { isProven } from './weighted-sums.ts'

const MAX_NUMBERS = 5
const MAX_KEYS = 6
const MAX_RATES = 60
/** Rows for each rate, on average. */
const ROWS_PER_RATE = 2
/** Rows beyond those, and keys with several amounts, which show that a base fee is the same for all rates. */
const ROWS_FOR_BASE = 2
const KEYS_FOR_BASE = 2
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
 * The part of the targets that does not depend on the amount: what remains of the two rows of one key with the amounts
 * farthest apart. Undefined where it is none that people set, or nothing, and where too few rows show it.
 */
function baseFee(amount: NumberNode, key: TextNode, { rows, values, decimals }: NumberTarget): number | undefined {
  const byKey = Map.groupBy(
    rows.map((row, i) => ({ name: key.values[row], x: amount.values[row] ?? 0, t: values[i] ?? 0 })),
    ({ name }) => name,
  )
  const areSeveral =
    [...byKey.values()].filter((own) => new Set(own.map(({ x }) => x)).size > 1).length >= KEYS_FOR_BASE
  if (!areSeveral || rows.length < ROWS_PER_RATE * byKey.size + ROWS_FOR_BASE) return undefined
  const [widest] = [...byKey.values()]
    .map((own) => own.toSorted((a, b) => a.x - b.x))
    .toSorted((a, b) => spread(b) - spread(a))
  const [first, last] = [widest?.[0], widest?.at(-1)]
  if (first === undefined || last === undefined || first.x === last.x) return undefined
  const slope = (last.t - first.t) / (last.x - first.x)
  const half = 0.5 * 10 ** -decimals
  const around = half * (1 + (2 * Math.abs(first.x)) / (last.x - first.x))
  const fee = first.t - slope * first.x
  const base = isSameNumber(first.t, slope * first.x) ? 0 : simplestBetween(fee - around, fee + around)
  return base === undefined || base === 0 || !isNatural(base) ? undefined : base
}

function spread(sorted: readonly { readonly x: number }[]): number {
  return (sorted.at(-1)?.x ?? 0) - (sorted[0]?.x ?? 0)
}

/** The amounts times the rate of their key, and a base fee where the rates alone do not give the target. */
function charged(amount: NumberNode, key: TextNode, target: NumberTarget): NumberNode | undefined {
  const rates = ratesOf(amount, key, target)
  if (rates !== undefined) return combine('mul', amount, rateOf(key, rates), costOf('multiply'))
  const base = baseFee(amount, key, target)
  if (base === undefined) return undefined
  const overBase = ratesOf(amount, key, { ...target, values: target.values.map((value) => value - base) })
  const constants = [base, ...new Set(overBase?.values())]
  if (overBase === undefined || !areShorter(constants, target) || !isProven(constants, target)) return undefined
  const product = combine('mul', amount, rateOf(key, overBase), costOf('multiply'))
  return withConstant('add', product, base, numberCost(base).with('offset'))
}

/**
 * Finds amounts times a rate that a text of the row decides, such as a tax by country: `net * rate[country]`, and the same
 * over a base fee: `5 + km * rate[class]`. The amount is a number of the input or the product of two.
 */
export function rateTables({ numbers, texts }: Scope, target: NumberTarget, budget: Budget): NumberNode[] {
  const few = numbers.filter((node) => target.rows.every((row) => node.values[row] !== undefined)).slice(0, MAX_NUMBERS)
  const products = few.flatMap((a, at) => few.slice(at + 1).map((b) => combine('mul', a, b, costOf('multiply'))))
  const found: NumberNode[] = []
  for (const key of texts.slice(0, MAX_KEYS)) {
    for (const amount of [...few, ...products]) {
      budget.spend(target.rows.length)
      const product = charged(amount, key, target)
      if (product === undefined) continue
      const right = reaching(product, target, 'weightedSum.rounded')
      if (right !== undefined) found.push(right)
    }
  }
  return found
}
