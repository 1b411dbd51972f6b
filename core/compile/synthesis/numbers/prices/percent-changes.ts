import { literal } from '../../search/build.ts'
import type { Budget } from '../../search/budget.ts'
import type { NumberNode } from '../../search/node.ts'
import { Cost, costOf } from '../../ranking/cost.ts'
import { reaching } from '../fit.ts'
import { combine, withConstant } from '../number-node.ts'
import type { NumberTarget } from '../samples.ts'

const MAX_NODES = 7
/** A number above this is rarely a percentage. */
const MOST_PERCENT = 100

/** `1 - x / 100`, `1 + x / 100` and `x / 100` of a number of percent; the same of a share between 0 and 1. */
function factorsOf(rate: NumberNode, rows: readonly number[]): NumberNode[] {
  const rates = rows.map((row) => rate.values[row] ?? Number.NaN)
  if (!rates.every((value) => value >= 0 && value <= MOST_PERCENT)) return []
  const isShare = rates.every((value) => value <= 1)
  const given: NumberNode = { ...rate, cost: rate.cost.with('percentChange') }
  const part = isShare ? given : withConstant('div', given, 100, Cost.NONE)
  const one: NumberNode = { expr: literal(1), cost: Cost.NONE, values: rate.values.map(() => 1) }
  const changed = (sign: 'add' | 'sub') => combine(sign, one, part, Cost.NONE)
  return isShare ? [changed('sub'), changed('add')] : [changed('sub'), changed('add'), part]
}

/**
 * Yields amounts less or more a rate of percent that is a number of the rows too: `price * (1 - discount / 100)`, where
 * the amount is one number or the product of two; rounded as the target is.
 */
export function* percentChanges(
  nodes: readonly NumberNode[],
  target: NumberTarget,
  budget: Budget,
): Generator<NumberNode> {
  const few = nodes.slice(0, MAX_NODES)
  for (const rate of few) {
    const others = few.filter((node) => node !== rate)
    const products = others.flatMap((a, at) =>
      others.slice(at + 1).map((b) => combine('mul', a, b, costOf('multiply'))),
    )
    for (const factor of factorsOf(rate, target.rows)) {
      for (const amount of [...others, ...products]) {
        budget.spend(2)
        const changed = combine('mul', amount, factor, costOf('multiply'))
        const found = reaching(changed, target, 'percentChange.rounded')
        if (found !== undefined) yield found
      }
    }
  }
}
