import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import type { Cost } from '../ranking/cost.ts'

/** An expression with its value on every working row; `undefined` where it has no answer. */
export interface Node<T> {
  readonly expr: Expr
  /** Lower is more likely to be meant. */
  readonly cost: Cost
  readonly values: readonly (T | undefined)[]
}

export type TextNode = Node<string>
export type NumberNode = Node<number> & {
  /**
   * Set when the number describes the spelling of a value rather than its meaning: its characters or digits. Such
   * numbers can be the answer, but rarely enter a formula. A sum of digits is even, odd or a multiple: its size says nothing.
   */
  readonly about?: 'text' | 'digits' | 'digitSum'
  /** The plain decimal text that the number was read from. */
  readonly written?: TextNode
}
export type JsonNode = Node<Json>

/** The same node for other rows or at another cost. */
export function withCost<T>(node: Node<T>, cost: Cost): Node<T> {
  return { expr: node.expr, cost, values: node.values }
}

/** Applies a function to the defined values. */
export function mapValues<A, B>(
  values: readonly (A | undefined)[],
  apply: (value: A) => B | undefined,
): (B | undefined)[] {
  return values.map((value) => (value === undefined ? undefined : apply(value)))
}

/** Units of all texts beyond the first `cheap` of each. */
export function longUnits(nodes: readonly TextNode[], cheap: number): number {
  let units = 0
  for (const { values } of nodes) for (const value of values) units += Math.max(0, (value?.length ?? 0) - cheap)
  return units
}

/** A key that two vectors of texts share only when they are equal. */
export function textVectorKey(values: readonly (string | undefined)[]): string {
  let key = ''
  for (const value of values) key += value === undefined ? '\u0001\u0000' : `${value}\u0000`
  return key
}

/** Number of alternatives with the same values that are kept beside the cheapest one. */
const MAX_ALTERNATIVES = 3

/**
 * Nodes by their values: of expressions with equal values on all working rows the cheapest are kept, so that the search
 * sees one of them and the ranking may still offer the others.
 */
export class NodePool<T> {
  readonly #keyOf: (values: readonly (T | undefined)[]) => string
  readonly #slots = new Map<string, Node<T>[]>()
  readonly #shown: number

  /** @param shown the number of rows with a target; a node without a value on all of them is not kept */
  constructor(keyOf: (values: readonly (T | undefined)[]) => string, shown = Infinity) {
    this.#keyOf = keyOf
    this.#shown = shown
  }

  /** Adds a node. Answers true when its values were new. */
  add(node: Node<T>): boolean {
    if (node.values.every((value, row) => value === undefined || row >= this.#shown)) return false
    const key = this.#keyOf(node.values)
    const slot = this.#slots.get(key)
    if (slot === undefined) {
      this.#slots.set(key, [node])
      return true
    }
    let at = slot.length
    while (at > 0 && (slot[at - 1]?.cost.total ?? 0) > node.cost.total) at--
    if (at < MAX_ALTERNATIVES) {
      slot.splice(at, 0, node)
      if (slot.length > MAX_ALTERNATIVES) slot.pop()
    }
    return false
  }

  /** The nodes with exactly these values, cheapest first. */
  find(values: readonly (T | undefined)[]): readonly Node<T>[] {
    return this.#slots.get(this.#keyOf(values)) ?? []
  }

  /** Number of distinct value vectors. */
  get size(): number {
    return this.#slots.size
  }

  /** The cheapest node of each value vector, in the order in which the vectors were found. */
  best(): Node<T>[] {
    const out: Node<T>[] = []
    for (const slot of this.#slots.values()) if (slot[0] !== undefined) out.push(slot[0])
    return out
  }

  /** Every node that is kept. */
  all(): Node<T>[] {
    return [...this.#slots.values()].flat()
  }
}
