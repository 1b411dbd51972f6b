import { branchExpr } from '../../language/expressions/branches.ts'
import type { Expr } from '../../language/ast.ts'
import { equals, NO_ANSWER } from '../search/build.ts'
import type { Node } from '../search/node.ts'
import type { Scope } from '../search/scope.ts'
import type { Cost } from '../ranking/cost.ts'

const MAX_KEYS = 6
const MAX_CATEGORIES = 8
/** Rows of each category: a formula with two constants needs two, and two more prove it. */
const MIN_ROWS = 4

/** A program for the rows of one category. */
export interface CategoryProgram {
  readonly expr: Expr
  readonly cost: Cost
  /** Set where all rows have one output. */
  readonly isConstant?: true
}

/** Rows by the values of one member. */
interface Partition {
  readonly key: Node<string | boolean>
  readonly rowsOf: ReadonlyMap<string | boolean, readonly number[]>
}

/** Members whose few values each have several rows, such as a zone, a country or a flag. */
function partitions({ texts, booleans }: Scope, count: number): Partition[] {
  return [...texts, ...booleans].flatMap((key: Node<string | boolean>): Partition[] => {
    const rowsOf = new Map<string | boolean, number[]>()
    for (let row = 0; row < count; row++) {
      const value = key.values[row]
      if (value === undefined) return []
      const known = rowsOf.get(value)
      if (known !== undefined) known.push(row)
      else if (rowsOf.size === MAX_CATEGORIES) return []
      else rowsOf.set(value, [row])
    }
    const isShown = rowsOf.size > 1 && [...rowsOf.values()].every((rows) => rows.length >= MIN_ROWS)
    return isShown ? [{ key, rowsOf }] : []
  })
}

/**
 * Finds programs that apply a rule of its own to each value of a member, such as a fee by zone: `4.90 + 0.50 * kg` in one and
 * a price by steps of weight in another. `learn` finds the rule of some rows, given those of the other values. A value that no row has gets no answer.
 */
export function byCategory(
  scope: Scope,
  count: number,
  learn: (rows: readonly number[], others: readonly (readonly number[])[]) => CategoryProgram | undefined,
): CategoryProgram[] {
  return partitions(scope, count)
    .slice(0, MAX_KEYS)
    .flatMap(({ key, rowsOf }): CategoryProgram[] => {
      const branches: { readonly when: Expr; readonly then: Expr }[] = []
      let cost = key.cost.with('rateTable').with('branch', rowsOf.size - 1)
      let areConstant = true
      for (const [value, rows] of rowsOf) {
        const others = [...rowsOf.values()].filter((own) => own !== rows)
        const found = learn(rows, others)
        if (found === undefined) return []
        areConstant &&= found.isConstant === true
        branches.push({ when: equals(key.expr, value), then: found.expr })
        cost = cost.plus(found.cost)
      }
      // A table of constants is no rule of the rows of each value: it has its own search.
      if (areConstant) return []
      return [{ expr: branchExpr(branches, NO_ANSWER), cost }]
    })
}
