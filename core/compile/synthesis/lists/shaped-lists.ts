import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { uniqueItems } from '../../language/primitives/values/json-values.ts'
import { literal } from '../search/build.ts'
import type { ListNode } from './list-space.ts'
import { costOf, type Cost } from '../ranking/cost.ts'

function compareItems(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  return 0
}

interface Shaping {
  readonly cost: Cost
  readonly build: (list: Expr) => Expr
  readonly apply: (items: readonly Json[]) => readonly Json[]
}

const SHAPINGS: readonly Shaping[] = [
  { cost: costOf('sort'), build: (list) => ({ op: 'sort', list }), apply: (items) => items.toSorted(compareItems) },
  {
    cost: costOf('sort.descending'),
    build: (list) => ({ op: 'sort', list, descending: true }),
    apply: (items) => items.toSorted((a, b) => compareItems(b, a)),
  },
  { cost: costOf('unique'), build: (list) => ({ op: 'unique', list }), apply: uniqueItems },
  {
    cost: costOf('reverse.list'),
    build: (list) => ({ op: 'reverse', of: list }),
    apply: (items) => items.toReversed(),
  },
  ...[1, 2, 3].flatMap((count): Shaping[] => [
    {
      cost: costOf('take.first').with('take.item', count),
      build: (list) => ({ op: 'take', list, count: literal(count) }),
      apply: (items) => items.slice(0, count),
    },
    {
      cost: costOf('take.last').with('take.item', count),
      build: (list) => ({ op: 'take', list, count: literal(-count) }),
      apply: (items) => items.slice(-count),
    },
    {
      cost: costOf('drop.first').with('drop.item', count),
      build: (list) => ({ op: 'drop', list, count: literal(count) }),
      apply: (items) => items.slice(count),
    },
    {
      cost: costOf('drop.last').with('drop.item', count),
      build: (list) => ({ op: 'drop', list, count: literal(-count) }),
      apply: (items) => items.slice(0, -count),
    },
  ]),
]

/** A list sorted, without doubles, reversed, or cut at its ends. */
export function shapedLists(list: ListNode): ListNode[] {
  return SHAPINGS.map(({ cost, build, apply }) => ({
    expr: build(list.expr),
    cost: list.cost.plus(cost),
    values: list.values.map((items) => (items === undefined ? undefined : apply(items))),
  }))
}
