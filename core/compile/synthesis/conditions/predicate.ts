import type { Expr } from '../../language/ast.ts'
import { type Build, evaluatorOf } from '../../language/evaluate/columns.ts'
import type { Operand } from '../search/derived.ts'
import { byCost, type Cost } from '../ranking/cost.ts'

/**
 * Subject of a condition: the build of the value (`structure`), a limit on a number (`limit`), or a text or number from
 * the rows (`content`).
 */
export type PredicateKind = 'structure' | 'limit' | 'content'

/** A condition with the working rows on which it holds. */
export interface Predicate {
  readonly expr: Expr
  readonly cost: Cost
  readonly kind: PredicateKind
  readonly holds: readonly boolean[]
}

const MAX_PER_VECTOR = 3

function keyOf(holds: readonly boolean[]): string {
  let key = ''
  for (const value of holds) key += value ? '1' : '0'
  return key
}

/** Predicates by the rows on which they hold; those that hold on all rows or on none are dropped. */
export class PredicateSet {
  readonly #byRows = new Map<string, Predicate[]>()

  /** Adds a predicate and its negation. */
  add(expr: Expr, cost: Cost, kind: PredicateKind, holds: readonly boolean[]): void {
    const first = holds[0]
    if (holds.every((value) => value === first)) return
    this.#insert({ expr, cost, kind, holds })
    const negated: Expr = expr.op === 'not' ? expr.of : { op: 'not', of: expr }
    this.#insert({ expr: negated, cost: cost.with('not'), kind, holds: holds.map((value) => !value) })
  }

  /**
   * Adds a condition on the values of one node, or of two, and its negation, as the language evaluates it; where it
   * fails, it does not hold.
   */
  addOn(of: Operand, cost: Cost, kind: PredicateKind, build: Build, by = of): void {
    const evaluate = evaluatorOf(build)
    const holds = of.values.map((value, row) => {
      const other = by.values[row]
      return value !== undefined && other !== undefined && evaluate(value, other) === true
    })
    this.add(build(of.expr, by.expr), cost, kind, holds)
  }

  /** Every predicate that is kept, cheapest first. */
  all(): Predicate[] {
    return [...this.#byRows.values()].flat().toSorted(byCost)
  }

  #insert(predicate: Predicate): void {
    const key = keyOf(predicate.holds)
    const slot = this.#byRows.get(key)
    if (slot === undefined) {
      this.#byRows.set(key, [predicate])
      return
    }
    let at = slot.length
    while (at > 0 && (slot[at - 1]?.cost.total ?? 0) > predicate.cost.total) at--
    if (at < MAX_PER_VECTOR) slot.splice(at, 0, predicate)
    if (slot.length > MAX_PER_VECTOR) slot.pop()
  }
}
