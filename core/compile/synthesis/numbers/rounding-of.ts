import type { Expr } from '../../language/ast.ts'

const known = new WeakMap<Expr, string>()
const NONE = ''

function find(expr: Expr): string {
  switch (expr.op) {
    case 'formatNumber':
      return find(expr.value)
    case 'add':
    case 'sub':
      return expr.right.op === 'literal' ? find(expr.left) : NONE
    case 'round': {
      if (expr.digits !== undefined) return `${expr.digits} digits/${expr.mode ?? 'halfUp'}`
      const decimals = expr.decimals ?? 0
      return decimals < 0 ? `${10 ** -decimals}/${expr.mode ?? 'halfUp'}` : NONE
    }
    case 'roundStep':
      return expr.step.op === 'literal' ? `${JSON.stringify(expr.step.value)}/${expr.mode ?? 'halfUp'}` : NONE
    default:
      return NONE
  }
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
