import type { Expr } from '../../language/ast.ts'
import { branchExpr, casesOf } from '../../language/expressions/branches.ts'
import { limitExpr, limitOf } from '../../language/expressions/conditions.ts'

/**
 * Returns a program with conditions whose limits are the units that their branches divide by: people write hours from 3600
 * seconds on and kilobytes from 1024 bytes on, where the rows alone leave a rounder limit open. Undefined where that changes
 * nothing. Whether the rows allow it is for the caller to try.
 */
export function limitsAtUnits(expr: Expr): Expr | undefined {
  const given = casesOf(expr)
  if (given === undefined) return undefined
  const isOne = given.cases.length === 1
  const cases = given.cases.map(({ when, then }) => ({
    when: limitAtUnit(when, then, isOne ? given.last : undefined) ?? when,
    then,
  }))
  return cases.some(({ when }, at) => when !== given.cases[at]?.when) ? branchExpr(cases, given.last) : undefined
}

/** The condition with its limit at the unit that the branch above it divides by; undefined where that changes nothing. */
function limitAtUnit(when: Expr, then: Expr, otherwise: Expr | undefined): Expr | undefined {
  const limit = limitOf(when)
  if (limit?.isIncluded !== true) return undefined
  const above = limit.isAbove ? then : otherwise
  if (above === undefined) return undefined
  const unit = largestDivisor(above, JSON.stringify(limit.number))
  return unit === undefined || limit.value === unit ? undefined : limitExpr({ ...limit, value: unit })
}

/** The largest number above 1 that an expression divides a value by. */
function largestDivisor(expr: Expr, valueText: string): number | undefined {
  const divisors: number[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (isDivision(node) && JSON.stringify(node.left) === valueText) divisors.push(numberOf(node.right) ?? 0)
    for (const inner of Object.values(node)) visit(inner)
  }
  visit(expr)
  const largest = Math.max(...divisors)
  return largest > 1 ? largest : undefined
}

function isDivision(node: object): node is { readonly left: unknown; readonly right: unknown } {
  return 'op' in node && node.op === 'div' && 'left' in node && 'right' in node
}

/** The value of a literal that is a number. */
function numberOf(node: unknown): number | undefined {
  const isObject = typeof node === 'object' && node !== null
  if (!isObject || !('op' in node) || node.op !== 'literal' || !('value' in node)) return undefined
  return typeof node.value === 'number' ? node.value : undefined
}
