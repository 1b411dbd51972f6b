import type { Json } from '../../../kernel/json/json.ts'
import { limitCost, passes, roundestBetween, type Limit } from '../conditions/thresholds.ts'
import type { Expr } from '../../language/ast.ts'
import { isMember } from '../conditions/pair-predicates.ts'
import { literal } from '../search/build.ts'
import { numberBy } from '../search/derived.ts'
import type { NumberNode } from '../search/node.ts'
import { itemVariable, type ListNode } from './items.ts'

const MAX_LISTS = 6
const MAX_COLUMNS = 3
const MIN_ROWS = 3

/** The items of a row from the largest on; undefined where one is no number. */
function sorted(items: readonly Json[] | undefined): readonly number[] | undefined {
  const numbers = items?.filter((item) => typeof item === 'number')
  return numbers === undefined || numbers.length < (items?.length ?? 0) ? undefined : numbers.toSorted((a, b) => b - a)
}

/** The limit that as many items reach as the counts say, on all rows; the roundest of those between the items. */
function limitOf(rows: readonly (readonly number[])[], counts: readonly number[]): Limit | undefined {
  let low = -Infinity
  let high = Infinity
  for (const [row, items] of rows.entries()) {
    const count = counts[row] ?? 0
    high = Math.min(high, items[count - 1] ?? Infinity)
    low = Math.max(low, items[count] ?? -Infinity)
  }
  if (!(low < high) || !Number.isFinite(low) || !Number.isFinite(high)) return undefined
  return { op: 'ge', value: roundestBetween(low, high) }
}

/** True for an item of a list, which is no number beside it. */
function isItem({ expr: { op } }: NumberNode): boolean {
  return op === 'nth'
}

/** The number of items for which a condition holds. */
function countOf(list: Expr, as: string, where: Expr): Expr {
  return { op: 'length', of: { op: 'filter', list, as, where } }
}

/** Counts of the numbers in a list that are more, or less, than another number of the row: its rank among them. */
export function countsBeyondNumbers(lists: readonly ListNode[], numbers: readonly NumberNode[]): NumberNode[] {
  const columns = numbers.filter(
    (node) => isMember(node) && !isItem(node) && node.values.every((value) => value !== undefined),
  )
  const numeric = lists.filter(({ values }) => values.every((items) => sorted(items) !== undefined))
  const { name, expr } = itemVariable(0)
  return numeric
    .slice(0, MAX_LISTS)
    .flatMap((list) =>
      columns
        .slice(0, MAX_COLUMNS)
        .flatMap((column) =>
          (['gt', 'lt'] as const).map((op) =>
            numberBy((of, right) => countOf(of, name, { op, left: expr, right }))(
              list,
              list.cost.plus(column.cost).with('count.beyondNumber'),
              column,
            ),
          ),
        ),
    )
}

/** Counts of the numbers in a list that reach a limit, or lie below it, where the targets are such counts. */
export function countsBeyond(lists: readonly ListNode[], targets: readonly Json[]): NumberNode[] {
  const counts = targets.filter((target) => typeof target === 'number' && Number.isInteger(target) && target >= 0)
  if (targets.length < MIN_ROWS || counts.length < targets.length || new Set(counts).size < 2) return []
  const numeric = lists.filter(({ values }) => targets.every((_, row) => sorted(values[row]) !== undefined))
  return numeric.slice(0, MAX_LISTS).flatMap((list) => {
    const rows = targets.map((_, row) => sorted(list.values[row]) ?? [])
    return [true, false].flatMap((isAbove): NumberNode[] => {
      const above = isAbove ? counts.map(Number) : counts.map((count, row) => (rows[row]?.length ?? 0) - Number(count))
      if (above.some((count, row) => count < 0 || count > (rows[row]?.length ?? 0))) return []
      const limit = limitOf(rows, above)
      if (limit === undefined) return []
      const { name, expr } = itemVariable(0)
      const isHeld = (item: Json) => typeof item === 'number' && passes(item, limit) === isAbove
      return [
        {
          expr: countOf(list.expr, name, { op: isAbove ? 'ge' : 'lt', left: expr, right: literal(limit.value) }),
          cost: list.cost.with('count.beyond').plus(limitCost(limit)),
          values: list.values.map((items) => items?.filter(isHeld).length),
        },
      ]
    })
  })
}
