import type { Expr } from '../../language/ast.ts'
import { literal } from '../search/build.ts'

/**
 * Returns a program with conditions whose limits are the units that their branches divide by: people write hours from 3600
 * seconds on and kilobytes from 1024 bytes on, where the rows alone leave a rounder limit open. Undefined where that changes
 * nothing. Whether the rows allow it is for the caller to try.
 */
export function limitsAtUnits(expr: Expr): Expr | undefined {
  if (expr.op === 'if') {
    const when = limitAtUnit(expr.cond, expr.then, expr.else)
    return when === undefined ? undefined : { ...expr, cond: when }
  }
  if (expr.op !== 'switch') return undefined
  let isChanged = false
  const cases = expr.cases.map((one) => {
    const when = limitAtUnit(one.when, one.then)
    if (when === undefined) return one
    isChanged = true
    return { ...one, when }
  })
  return isChanged ? { ...expr, cases } : undefined
}

/** The condition with its limit at the unit that the branch above it divides by; undefined where that changes nothing. */
function limitAtUnit(when: Expr, then: Expr, otherwise?: Expr): Expr | undefined {
  if (when.op !== 'ge' && when.op !== 'lt') return undefined
  const above = when.op === 'ge' ? then : otherwise
  const limit = numberOf(when.right)
  if (above === undefined || limit === undefined) return undefined
  const unit = largestDivisor(above, JSON.stringify(when.left))
  return unit === undefined || limit === unit ? undefined : { ...when, right: literal(unit) }
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
