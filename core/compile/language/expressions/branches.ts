import type { Expr } from '../ast.ts'

/** A branch of a program and its condition. */
export interface Case {
  readonly when: Expr
  readonly then: Expr
}

/** Returns the branches of a program and what it gives otherwise; undefined for a program without conditions at its top. */
export function casesOf(expr: Expr): { readonly cases: readonly Case[]; readonly last: Expr } | undefined {
  if (expr.op === 'if') return { cases: [{ when: expr.cond, then: expr.then }], last: expr.else }
  return expr.op === 'switch' ? { cases: expr.cases, last: expr.else } : undefined
}

/** Returns the program of branches and what it gives otherwise. */
export function branchExpr(cases: readonly Case[], otherwise: Expr): Expr {
  const only = cases[0]
  if (only === undefined) return otherwise
  if (cases.length === 1) return { op: 'if', cond: only.when, then: only.then, else: otherwise }
  return { op: 'switch', cases, else: otherwise }
}
