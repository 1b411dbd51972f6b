import type { Expr } from '../../language/ast.ts'
import { plainDigits } from '../../language/primitives/numbers/decimal.ts'
import { calculateWritten } from '../../language/primitives/numbers/written-decimal.ts'
import { literal } from '../search/build.ts'
import { mapValues, type NumberNode } from '../search/node.ts'

/** The exact text of a number with the decimals of the texts and numbers that it is computed from. */
interface Written {
  readonly expr: Expr
  readonly values: readonly (string | undefined)[]
  /** False while only numbers without written decimals are in it. */
  readonly isWritten: boolean
}

/** Returns sums and products as written decimals; undefined for other arithmetic. */
export function inWrittenDecimals(expr: Expr, leaves: ReadonlyMap<Expr, NumberNode>): Written | undefined {
  const leaf = leaves.get(expr)
  if (leaf?.written !== undefined) return { expr: leaf.written.expr, values: leaf.written.values, isWritten: true }
  if (leaf !== undefined && (expr.op === 'field' || expr.op === 'path' || expr.op === 'nth')) {
    return { expr, values: mapValues(leaf.values, plainDigits), isWritten: false }
  }
  const parts =
    expr.op === 'neg'
      ? ({ name: 'sub', left: literal(0), right: expr.value } as const)
      : expr.op === 'add' || expr.op === 'sub' || expr.op === 'mul'
        ? ({ name: expr.op, left: expr.left, right: expr.right } as const)
        : undefined
  if (parts === undefined) return undefined
  const [left, right] = [parts.left, parts.right].map((part) =>
    part.op === 'literal' ? part : inWrittenDecimals(part, leaves),
  )
  if (left === undefined || right === undefined) return undefined
  const at = (side: Written | Expr, row: number): string | undefined =>
    'values' in side
      ? side.values[row]
      : 'value' in side && typeof side.value === 'number'
        ? plainDigits(side.value)
        : undefined
  const exprOf = (side: Written | Expr): Expr => ('values' in side ? side.expr : side)
  const rows = 'values' in left ? left.values : 'values' in right ? right.values : []
  return {
    expr: { op: 'decimal', do: parts.name, left: exprOf(left), right: exprOf(right) },
    values: rows.map((_, row) => {
      const [a, b] = [at(left, row), at(right, row)]
      return a === undefined || b === undefined ? undefined : calculateWritten(parts.name, a, b)
    }),
    isWritten: ('values' in left && left.isWritten) || ('values' in right && right.isWritten),
  }
}
