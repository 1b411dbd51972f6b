import type { Expr } from '../../language/ast.ts'
import type { ArithmeticOp, RoundMode } from '../../language/names.ts'
import { calculate } from '../../language/primitives/numbers/arithmetic.ts'
import { literal } from '../search/build.ts'
import { numberBy } from '../search/derived.ts'
import type { NumberNode } from '../search/node.ts'
import type { Cost } from '../ranking/cost.ts'

/** A vector of numbers as a key. */
export function numberVectorKey(values: readonly (number | undefined)[]): string {
  return values.join()
}

/** A calculation of two values. */
export function calculation(op: ArithmeticOp, left: Expr, right: Expr): Expr {
  return { op, left, right }
}

/** Two nodes under an operator, which adds a cost to theirs. */
export function combine(op: ArithmeticOp, a: NumberNode, b: NumberNode, cost: Cost): NumberNode {
  const values = a.values.map((x, row) => {
    const y = b.values[row]
    return x === undefined || y === undefined ? undefined : calculate(op, x, y)
  })
  return { expr: calculation(op, a.expr, b.expr), cost: a.cost.plus(b.cost).plus(cost), values }
}

/** A node and a constant under an operator. */
export function withConstant(op: ArithmeticOp, a: NumberNode, constant: number, cost: Cost): NumberNode {
  return numberBy((left) => calculation(op, left, literal(constant)))(a, a.cost.plus(cost))
}

function modeOf(mode: RoundMode): { mode?: RoundMode } {
  return mode === 'halfUp' ? {} : { mode }
}

/** The node rounded to decimals. */
export function roundNode(a: NumberNode, decimals: number, mode: RoundMode, cost: Cost): NumberNode {
  const places = decimals === 0 ? {} : { decimals }
  return numberBy((value) => ({ op: 'round', value, ...places, ...modeOf(mode) }))(a, a.cost.plus(cost))
}

/** The node rounded to significant digits. */
export function significantNode(a: NumberNode, digits: number, mode: RoundMode, cost: Cost): NumberNode {
  return numberBy((value) => ({ op: 'round', value, digits, ...modeOf(mode) }))(a, a.cost.plus(cost))
}

/** The node rounded to a multiple of a step. */
export function stepNode(a: NumberNode, step: number, mode: RoundMode, cost: Cost): NumberNode {
  return numberBy((value) => ({ op: 'roundStep', value, step: literal(step), ...modeOf(mode) }))(a, a.cost.plus(cost))
}
