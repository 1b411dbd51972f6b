import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { equalJson } from '../../language/primitives/values/json-values.ts'
import { literal } from '../search/build.ts'
import type { ListNode } from './list-space.ts'

function compareItems(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  return 0
}

function uniqueOf(items: readonly Json[]): Json[] {
  return items.filter((item, at) => items.findIndex((other) => equalJson(item, other)) === at)
}

interface Shaping {
  readonly price: number
  readonly build: (list: Expr) => Expr
  readonly apply: (items: readonly Json[]) => readonly Json[]
}

const SHAPINGS: readonly Shaping[] = [
  { price: 0.6, build: (list) => ({ op: 'sort', list }), apply: (items) => items.toSorted(compareItems) },
  {
    price: 0.75,
    build: (list) => ({ op: 'sort', list, descending: true }),
    apply: (items) => items.toSorted((a, b) => compareItems(b, a)),
  },
  { price: 0.6, build: (list) => ({ op: 'unique', list }), apply: uniqueOf },
  { price: 0.7, build: (list) => ({ op: 'reverse', of: list }), apply: (items) => items.toReversed() },
  ...[1, 2, 3].flatMap((count): Shaping[] => [
    {
      price: 0.8 + 0.1 * count,
      build: (list) => ({ op: 'take', list, count: literal(count) }),
      apply: (items) => items.slice(0, count),
    },
    {
      price: 0.9 + 0.1 * count,
      build: (list) => ({ op: 'take', list, count: literal(-count) }),
      apply: (items) => items.slice(-count),
    },
    {
      price: 0.8 + 0.1 * count,
      build: (list) => ({ op: 'drop', list, count: literal(count) }),
      apply: (items) => items.slice(count),
    },
    {
      price: 0.9 + 0.1 * count,
      build: (list) => ({ op: 'drop', list, count: literal(-count) }),
      apply: (items) => items.slice(0, -count),
    },
  ]),
]

/** A list sorted, without doubles, reversed, or cut at its ends. */
export function shapedLists(list: ListNode): ListNode[] {
  return SHAPINGS.map(({ price, build, apply }) => ({
    expr: build(list.expr),
    cost: list.cost + price,
    values: list.values.map((items) => (items === undefined ? undefined : apply(items))),
  }))
}
