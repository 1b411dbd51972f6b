import type { Expr } from '../../language/ast.ts'
import type { ArithmeticOp, RoundMode } from '../../language/names.ts'
import { calculate } from '../../language/primitives/numbers/arithmetic.ts'
import { roundDecimals, roundSignificant, roundToStep } from '../../language/primitives/numbers/rounding.ts'
import { literal } from '../search/build.ts'
import type { NumberNode } from '../search/node.ts'
import type { Cost } from '../ranking/cost.ts'

/** A vector of numbers as a key. */
export function numberVectorKey(values: readonly (number | undefined)[]): string {
  return values.join()
}

/** Two nodes under an operator, which adds a cost to theirs. */
export function combine(op: ArithmeticOp, a: NumberNode, b: NumberNode, cost: Cost): NumberNode {
  const values = a.values.map((x, row) => {
    const y = b.values[row]
    return x === undefined || y === undefined ? undefined : calculate(op, x, y)
  })
  return { expr: { op, left: a.expr, right: b.expr }, cost: a.cost.plus(b.cost).plus(cost), values }
}

/** A node and a constant under an operator. */
export function withConstant(op: ArithmeticOp, a: NumberNode, constant: number, cost: Cost): NumberNode {
  return {
    expr: { op, left: a.expr, right: literal(constant) },
    cost: a.cost.plus(cost),
    values: a.values.map((x) => (x === undefined ? undefined : calculate(op, x, constant))),
  }
}

/** The node rounded to decimals. */
export function roundNode(a: NumberNode, decimals: number, mode: RoundMode, cost: Cost): NumberNode {
  const expr: Expr = { op: 'round', value: a.expr }
  return {
    expr: {
      ...expr,
      ...(decimals === 0 ? {} : { decimals }),
      ...(mode === 'halfUp' ? {} : { mode }),
    },
    cost: a.cost.plus(cost),
    values: a.values.map((x) => (x === undefined ? undefined : roundDecimals(x, decimals, mode))),
  }
}

/** The node rounded to significant digits. */
export function significantNode(a: NumberNode, digits: number, mode: RoundMode, cost: Cost): NumberNode {
  return {
    expr: { op: 'round', value: a.expr, digits, ...(mode === 'halfUp' ? {} : { mode }) },
    cost: a.cost.plus(cost),
    values: a.values.map((x) => (x === undefined ? undefined : roundSignificant(x, digits, mode))),
  }
}

/** The node rounded to a multiple of a step. */
export function stepNode(a: NumberNode, step: number, mode: RoundMode, cost: Cost): NumberNode {
  return {
    expr: { op: 'roundStep', value: a.expr, step: literal(step), ...(mode === 'halfUp' ? {} : { mode }) },
    cost: a.cost.plus(cost),
    values: a.values.map((x) => (x === undefined ? undefined : roundToStep(x, step, mode))),
  }
}
