import { literal } from '../search/build.ts'
import { listBy } from '../search/derived.ts'
import { itemVariable, type ListNode } from './items.ts'
import { costOf } from '../ranking/cost.ts'

const CUT = [1, 2, 3].flatMap((count) => [
  { cost: costOf('take.first').with('take.item', count), shape: cutting('take', count) },
  { cost: costOf('take.last').with('take.item', count), shape: cutting('take', -count) },
  { cost: costOf('drop.first').with('drop.item', count), shape: cutting('drop', count) },
  { cost: costOf('drop.last').with('drop.item', count), shape: cutting('drop', -count) },
])
const SHAPINGS = [
  { cost: costOf('sort'), shape: listBy((list) => ({ op: 'sort', list })) },
  { cost: costOf('sort.descending'), shape: listBy((list) => ({ op: 'sort', list, descending: true })) },
  { cost: costOf('unique'), shape: listBy((list) => ({ op: 'unique', list })) },
  { cost: costOf('reverse.list'), shape: listBy((list) => ({ op: 'reverse', of: list })) },
  ...CUT,
]

function cutting(op: 'take' | 'drop', count: number) {
  return listBy((list) => ({ op, list, count: literal(count) }))
}

/** A list sorted, without doubles, reversed, or cut at its ends. */
export function shapedLists(list: ListNode): ListNode[] {
  return SHAPINGS.map(({ cost, shape }) => shape(list, list.cost.plus(cost)))
}

const { name: ITEM, expr: EACH_ITEM } = itemVariable(0)
const LOWER = listBy((list) => ({ op: 'map', list, as: ITEM, body: { op: 'lower', text: EACH_ITEM } }))
const UPPER = /\p{Lu}/u

/** A list of texts in lower case, where some are not: tags that differ in letter case are the same. */
export function loweredLists(list: ListNode): ListNode[] {
  const items = list.values.flatMap((values) => values ?? [])
  const hasUpper = items.some((item) => typeof item === 'string' && UPPER.test(item))
  if (!hasUpper || !items.every((item) => typeof item === 'string')) return []
  return [LOWER(list, list.cost.plus(costOf('map')).with('case.lower'))]
}
