import type { TimeUnit } from '../../language/names.ts'
import type { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import { differenceOf } from '../../language/primitives/dates/date-math.ts'
import { lookup } from '../search/build.ts'
import { numberBy } from '../search/derived.ts'
import type { NumberNode, TextNode } from '../search/node.ts'

const UNITS: readonly TimeUnit[] = ['days', 'months', 'years', 'hours', 'minutes']
const MAX_KEYS = 4
const MAX_CATEGORIES = 8
/** Rows for each category: one sets its amount, and others prove the amounts. */
const ROWS_PER_CATEGORY = 2

/** The amount for each category, where all of its rows have one; undefined where one has several, or no two differ. */
function amountsOf(
  key: TextNode,
  from: readonly (CivilDate | undefined)[],
  to: readonly CivilDate[],
  unit: TimeUnit,
): ReadonlyMap<string, number> | undefined {
  const amounts = new Map<string, number>()
  for (const [row, goal] of to.entries()) {
    const [category, date] = [key.values[row], from[row]]
    if (category === undefined || date === undefined) return undefined
    const amount = differenceOf(date, goal, unit)
    if (amount === undefined || (amounts.get(category) ?? amount) !== amount) return undefined
    amounts.set(category, amount)
    if (amounts.size > MAX_CATEGORIES) return undefined
  }
  return to.length >= ROWS_PER_CATEGORY * amounts.size && new Set(amounts.values()).size > 1 ? amounts : undefined
}

/**
 * Amounts of time by the category of a row, with which dates become those that the outputs show: the days to pay of a
 * customer, the hours to answer of a priority. A category that no row has has no amount.
 */
export function amountsByCategory(
  texts: readonly TextNode[],
  from: readonly (CivilDate | undefined)[],
  to: readonly CivilDate[],
): NumberNode[] {
  return texts.slice(0, MAX_KEYS).flatMap((key) =>
    UNITS.flatMap((unit): NumberNode[] => {
      const amounts = amountsOf(key, from, to, unit)
      if (amounts === undefined) return []
      const cases = [...amounts].map(([category, value]) => ({ key: category, value }))
      const cost = key.cost.with('rateTable').with('rateTable.rate', amounts.size)
      return [numberBy((of) => lookup(of, cases))(key, cost)]
    }),
  )
}
