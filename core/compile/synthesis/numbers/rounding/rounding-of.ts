import type { Expr } from '../../../language/ast.ts'

const known = new WeakMap<Expr, string>()
const NONE = ''

function constantIn(expr: Expr): number | undefined {
  return expr.op === 'literal' && typeof expr.value === 'number' ? expr.value : undefined
}

function find(expr: Expr): string {
  switch (expr.op) {
    case 'formatNumber':
      return find(expr.value)
    case 'add':
    case 'sub':
      return constantIn(expr.right) === undefined ? NONE : find(expr.left)
    case 'round': {
      if (expr.digits !== undefined) return `${expr.digits} digits/${expr.mode ?? 'halfUp'}`
      const decimals = expr.decimals ?? 0
      return decimals < 0 ? `${10 ** -decimals}/${expr.mode ?? 'halfUp'}` : NONE
    }
    case 'roundStep': {
      const step = constantIn(expr.step)
      return step === undefined ? NONE : `${step}/${expr.mode ?? 'halfUp'}`
    }
    default:
      return NONE
  }
}

const units = new WeakMap<Expr, number>()

/** The constant that a number is divided by in the end, or of which it is a remainder; 0 for others. */
function unitIn(expr: Expr): number {
  switch (expr.op) {
    case 'formatNumber':
    case 'round':
      return unitIn(expr.value)
    case 'div':
    case 'mod':
      return constantIn(expr.right) ?? 0
    default:
      return 0
  }
}

/**
 * Returns the unit in which a written number counts another one: the divisor of a quotient or of a remainder; undefined for
 * other expressions.
 */
export function unitOf(expr: Expr): number | undefined {
  let unit = units.get(expr)
  if (unit === undefined) units.set(expr, (unit = unitIn(expr)))
  return unit === 0 ? undefined : unit
}

/**
 * Returns the rounding of a written number to a step above one or to significant digits, with its mode; undefined for
 * other expressions.
 */
export function roundingOf(expr: Expr): string | undefined {
  let found = known.get(expr)
  if (found === undefined) known.set(expr, (found = find(expr)))
  return found === NONE ? undefined : found
}
