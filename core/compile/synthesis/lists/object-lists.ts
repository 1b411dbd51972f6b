import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { literal } from '../search/build.ts'
import { listBy } from '../search/derived.ts'
import { itemVariable, mapItems, memberOf, sortItems, type ListNode } from './items.ts'

const MAX_MEMBERS = 8
const MAX_CATEGORY_MEMBERS = 3
const MAX_CATEGORIES = 6
const MAX_SORT_MEMBERS = 4
const SORTS = [
  { order: {}, feature: 'sort.byMember' },
  { order: { descending: true }, feature: 'sort.byMember.descending' },
] as const

function memberNames(list: ListNode, isUseful: (value: Json) => boolean): readonly string[] {
  const names = new Set<string>()
  for (const items of list.values) {
    for (const item of items ?? []) {
      if (!isJsonObject(item)) continue
      for (const [name, value] of Object.entries(item)) if (isUseful(value)) names.add(name)
    }
  }
  return [...names].slice(0, MAX_MEMBERS)
}

/** Lists of one member of each object in a list. */
export function members(list: ListNode): ListNode[] {
  return memberNames(list, () => true).map((name) =>
    listBy((of) => mapItems(of, (item) => memberOf(item, name)))(list, list.cost.with('map.member')),
  )
}

/** The objects of a list for which a truth value among their members holds, or does not. */
export function flagged(list: ListNode): ListNode[] {
  const { name: as, expr } = itemVariable(0)
  return memberNames(list, (value) => typeof value === 'boolean').flatMap((name) => {
    const held = memberOf(expr, name)
    const kept = (where: Expr) => listBy((of) => ({ op: 'filter', list: of, as, where }))
    return [
      kept(held)(list, list.cost.with('filter.flag')),
      kept({ op: 'not', of: held })(list, list.cost.with('filter.notFlag')),
    ]
  })
}

/**
 * The items of a list with a certain text: in one of their members, or the text itself, where a few texts repeat. Orders
 * that are open, votes for yes.
 */
export function ofCategory(list: ListNode): ListNode[] {
  const { name: as, expr } = itemVariable(0)
  const parts = [
    { part: expr, read: (item: Json) => item },
    ...memberNames(list, (value) => typeof value === 'string')
      .slice(0, MAX_CATEGORY_MEMBERS)
      .map((name) => ({
        part: memberOf(expr, name),
        read: (item: Json) => (isJsonObject(item) ? item[name] : undefined),
      })),
  ]
  return parts.flatMap(({ part, read }) =>
    categoriesOf(list.values, read).map((category) => {
      const where: Expr = { op: 'eq', left: part, right: literal(category) }
      const cost = list.cost.with('filter.category').with('filter.category.character', category.length)
      return listBy((of) => ({ op: 'filter', list: of, as, where }))(list, cost)
    }),
  )
}

/** The few texts that the items share; none where an item has no text, or where texts seldom repeat. */
function categoriesOf(
  lists: readonly (readonly Json[] | undefined)[],
  read: (item: Json) => Json | undefined,
): readonly string[] {
  const counts = new Map<string, number>()
  for (const items of lists) {
    for (const item of items ?? []) {
      const text = read(item)
      if (typeof text !== 'string') return []
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    if (counts.size > MAX_CATEGORIES) return []
  }
  return counts.size > 1 && [...counts.values()].every((count) => count > 1) ? [...counts.keys()] : []
}

/** Lists of the product of two numbers of each object in a list: quantities times prices. */
export function products(list: ListNode): ListNode[] {
  const names = memberNames(list, (value) => typeof value === 'number')
  return names.flatMap((left, i) =>
    names.slice(i + 1).map((right) => {
      const product = (item: Expr): Expr => ({ op: 'mul', left: memberOf(item, left), right: memberOf(item, right) })
      return listBy((lists) => mapItems(lists, product))(list, list.cost.with('map.product'))
    }),
  )
}

/** The objects of a list in the order of one of their members, rising and falling. */
export function ordered(list: ListNode): ListNode[] {
  const names = memberNames(list, (value) => typeof value === 'number' || typeof value === 'string')
  return names
    .slice(0, MAX_SORT_MEMBERS)
    .flatMap((name) =>
      SORTS.map(({ order, feature }) =>
        listBy((of) => sortItems(of, (item) => memberOf(item, name), order))(list, list.cost.with(feature)),
      ),
    )
}
