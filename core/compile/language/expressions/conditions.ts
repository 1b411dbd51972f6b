import type { Expr } from '../ast.ts'

/** A condition that a number is on one side of a constant. */
export interface NumberLimit {
  readonly number: Expr
  readonly value: number
  /** True for the numbers above. */
  readonly isAbove: boolean
  /** True where the constant itself is one of the numbers above. */
  readonly isIncluded: boolean
}

/** Returns the limit that a condition is; undefined for other conditions. */
export function limitOf(expr: Expr): NumberLimit | undefined {
  if (expr.op !== 'ge' && expr.op !== 'gt' && expr.op !== 'lt' && expr.op !== 'le') return undefined
  const { op, left: number, right } = expr
  if (right.op !== 'literal' || typeof right.value !== 'number') return undefined
  return {
    number,
    value: right.value,
    isAbove: op === 'ge' || op === 'gt',
    isIncluded: op === 'ge' || op === 'lt',
  }
}

/** Returns the condition of a limit. */
export function limitExpr({ number: left, value, isAbove, isIncluded }: NumberLimit): Expr {
  const op = isAbove ? (isIncluded ? 'ge' : 'gt') : isIncluded ? 'lt' : 'le'
  return { op, left, right: { op: 'literal', value } }
}

/** A condition that looks for a text in another one, or compares the two. */
export interface TextSearch {
  readonly op: 'contains' | 'startsWith' | 'endsWith' | 'eq'
  /** The text in which it looks. */
  readonly text: Expr
  readonly sought: string
}

/** Returns the search that a condition is; undefined for other conditions. */
export function searchOf(expr: Expr): TextSearch | undefined {
  if (expr.op === 'contains' || expr.op === 'startsWith' || expr.op === 'endsWith') {
    const { op, text, pattern } = expr
    return pattern.kind === 'literal' ? { op, text, sought: pattern.text } : undefined
  }
  if (expr.op !== 'eq' || expr.right.op !== 'literal' || typeof expr.right.value !== 'string') return undefined
  return { op: expr.op, text: expr.left, sought: expr.right.value }
}

/** Returns the condition of a search. */
export function searchExpr({ op, text, sought }: TextSearch): Expr {
  if (op === 'eq') return { op, left: text, right: { op: 'literal', value: sought } }
  return { op, text, pattern: { kind: 'literal', text: sought } }
}

/**
 * Returns the value that a remainder has for valid numbers, zero for check sums and one for accounts (ISO/IEC 7064, MOD
 * 97-10): nothing else about it says anything. Undefined for other numbers.
 */
export function validRemainder(expr: Expr): number | undefined {
  switch (expr.op) {
    case 'mod':
      return expr.left.op === 'sum' && expr.left.by !== undefined ? 0 : undefined
    case 'remainder':
      return 1
    default:
      return undefined
  }
}

/** Whether a number is a length or a count. */
export function isCounted(expr: Expr): boolean {
  return expr.op === 'length' || expr.op === 'count'
}
