import { literal } from '../search/build.ts'
import { listBy } from '../search/derived.ts'
import { mapItems, sortItems, type ListNode } from './items.ts'
import { costOf } from '../ranking/cost.ts'

const CUT = [1, 2, 3].flatMap((count) => [
  { cost: costOf('take.first').with('take.item', count), shape: cutting('take', count) },
  { cost: costOf('take.last').with('take.item', count), shape: cutting('take', -count) },
  { cost: costOf('drop.first').with('drop.item', count), shape: cutting('drop', count) },
  { cost: costOf('drop.last').with('drop.item', count), shape: cutting('drop', -count) },
])
const UNIQUE = { cost: costOf('unique'), shape: listBy((list) => ({ op: 'unique', list })) }
const ORDERS = [
  { cost: costOf('sort'), shape: sorted({}) },
  { cost: costOf('sort.descending'), shape: sorted({ descending: true }) },
]
const ORDERS_BY_LENGTH = [
  { cost: costOf('sort.byLength'), shape: sortedByLength({}) },
  { cost: costOf('sort.byLength').with('sort.byLength.descending'), shape: sortedByLength({ descending: true }) },
]
/** Of lists of numbers alone. */
const TOTALS = (['runningSum', 'differences'] as const).map((op) => ({
  cost: costOf(op),
  shape: listBy((list) => ({ op, list })),
}))
const SHAPINGS = [
  ...ORDERS,
  UNIQUE,
  { cost: costOf('reverse.list'), shape: listBy((list) => ({ op: 'reverse', of: list })) },
  ...CUT,
]

function sorted(order: { readonly descending?: true }) {
  return listBy((list) => ({ op: 'sort', list, ...order }))
}

function sortedByLength(order: { readonly descending?: true }) {
  return listBy((list) => sortItems(list, (of) => ({ op: 'length', of }), order))
}

function cutting(op: 'take' | 'drop', count: number) {
  return listBy((list) => ({ op, list, count: literal(count) }))
}

const LETTER = /\p{L}/u

/** A list sorted, without doubles, reversed, or cut at its ends. */
export function shapedLists(list: ListNode): ListNode[] {
  return SHAPINGS.map(({ cost, shape }) => shape(list, list.cost.plus(cost)))
}

/** Running totals of a list of numbers, and the differences between neighbours. */
export function totalledLists(list: ListNode): ListNode[] {
  const areNumbers = list.values.every((items) => items?.every((item) => typeof item === 'number') !== false)
  return areNumbers ? TOTALS.map(({ cost, shape }) => shape(list, list.cost.plus(cost))) : []
}

/** A list of texts with letters in the order of their lengths, which order numbers only by chance. */
export function listsByLength(list: ListNode): ListNode[] {
  const areWords = list.values.every(
    (items) => items?.every((item) => typeof item === 'string' && LETTER.test(item)) !== false,
  )
  return areWords ? ORDERS_BY_LENGTH.map(({ cost, shape }) => shape(list, list.cost.plus(cost))) : []
}

/** A list without doubles in order, where some row has doubles. */
export function orderedWithoutDoubles(list: ListNode): ListNode[] {
  const distinct = UNIQUE.shape(list, list.cost.plus(UNIQUE.cost))
  if (distinct.values.every((items, row) => items?.length === list.values[row]?.length)) return []
  const sorted = ORDERS.map(({ cost, shape }) => shape(distinct, distinct.cost.plus(cost)))
  return [...sorted, ...listsByLength(distinct)]
}

const LOWER = listBy((list) => mapItems(list, (text) => ({ op: 'lower', text })))
const UPPER = /\p{Lu}/u

/** A list of texts in lower case, where some are not: tags that differ in letter case are the same. */
export function loweredLists(list: ListNode): ListNode[] {
  const items = list.values.flatMap((values) => values ?? [])
  const hasUpper = items.some((item) => typeof item === 'string' && UPPER.test(item))
  if (!hasUpper || !items.every((item) => typeof item === 'string')) return []
  return [LOWER(list, list.cost.plus(costOf('map')).with('case.lower'))]
}
