import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import type { Predicate } from './predicate.ts'
import type { Cost } from '../ranking/cost.ts'

const MAX_CONDITIONS = 60

interface Condition {
  readonly expr: Expr
  readonly cost: Cost
  readonly values: readonly boolean[]
}

/** The truth of the target as two conditions together: both of them, or one of them at least. */
export function pairedConditions(
  predicates: readonly Predicate[],
  targets: readonly Json[],
  rows: readonly number[],
): Condition[] {
  const few = predicates.filter(({ kind }) => kind !== 'content').slice(0, MAX_CONDITIONS)
  const out: Condition[] = []
  for (const [op, stays] of [
    ['and', true],
    ['or', false],
  ] as const) {
    // A part of a conjunction holds wherever the whole does; a part of a disjunction fails wherever the whole does.
    const parts = few.filter(({ holds }) => rows.every((row) => targets[row] !== stays || holds[row] === stays))
    for (const [at, a] of parts.entries()) {
      for (const b of parts.slice(at + 1)) {
        const isRight = rows.every((row) => {
          const [x, y] = [a.holds[row] === true, b.holds[row] === true]
          return targets[row] === (op === 'and' ? x && y : x || y)
        })
        if (!isRight) continue
        out.push({
          expr: { op, of: [a.expr, b.expr] },
          cost: a.cost.plus(b.cost).with('condition.pair'),
          values: a.holds.map((x, row) => (op === 'and' ? x && b.holds[row] === true : x || b.holds[row] === true)),
        })
      }
    }
  }
  return out
}
