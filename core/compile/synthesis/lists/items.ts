import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import type { Node } from '../search/node.ts'

export type ListNode = Node<readonly Json[]> & {
  /** The texts that a list of numbers was read from. */
  readonly texts?: Node<readonly Json[]>
}

const ITEM = 'item'

/** The name that list programs bind to an item. */
export function itemVariable(depth: number): { readonly name: string; readonly expr: Expr } {
  const name = depth === 0 ? ITEM : `${ITEM}${depth + 1}`
  return { name, expr: { op: 'var', name } }
}

/** The expression for every item of a list. */
export function mapItems(list: Expr, body: (item: Expr) => Expr): Expr {
  const { name, expr } = itemVariable(0)
  return { op: 'map', list, as: name, body: body(expr) }
}

/** The items of a list in the order of what an expression says of each, rising unless descending. */
export function sortItems(list: Expr, key: (item: Expr) => Expr, order: { readonly descending?: true }): Expr {
  const { name, expr } = itemVariable(0)
  return { op: 'sortBy', list, as: name, key: key(expr), ...order }
}

/** A member of an object. */
export function memberOf(of: Expr, name: string): Expr {
  return { op: 'field', of, name }
}
