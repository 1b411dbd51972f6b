import type { TimeUnit } from '../../language/names.ts'
import type { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import { differenceOf } from '../../language/primitives/dates/date-math.ts'
import { lookup } from '../search/build.ts'
import { numberBy } from '../search/derived.ts'
import type { NumberNode, TextNode } from '../search/node.ts'

/** Years and months first: days explain them as well where all rows have months, or years, of one length. */
const UNITS: readonly TimeUnit[] = ['years', 'months', 'days', 'hours', 'minutes']
const MAX_KEYS = 4
const MAX_CATEGORIES = 8
/** Rows of a category: the first sets its amount, the next proves it. */
const MIN_ROWS = 2

/** Amounts of time, all in one unit. */
export interface Shift {
  readonly amount: NumberNode
  readonly unit: TimeUnit
}

/** The amount for each category, where all of its rows have one; undefined where one has several, or no two differ. */
function amountsOf(
  key: TextNode,
  from: readonly (CivilDate | undefined)[],
  to: readonly CivilDate[],
  unit: TimeUnit,
): ReadonlyMap<string, number> | undefined {
  const amounts = new Map<string, number>()
  const rows = new Map<string, number>()
  for (const [row, goal] of to.entries()) {
    const [category, date] = [key.values[row], from[row]]
    if (category === undefined || date === undefined) return undefined
    const amount = differenceOf(date, goal, unit)
    if (amount === undefined || (amounts.get(category) ?? amount) !== amount) return undefined
    amounts.set(category, amount)
    rows.set(category, (rows.get(category) ?? 0) + 1)
    if (rows.size > MAX_CATEGORIES) return undefined
  }
  const isProven = [...rows.values()].every((count) => count >= MIN_ROWS)
  return isProven && new Set(amounts.values()).size > 1 ? amounts : undefined
}

/**
 * Amounts of time by the category of a row, with which dates may become those that the outputs show: the days to pay of a
 * customer, the hours to answer of a priority. Those of one key are in the order in which they are preferred. A category that
 * no row has has no amount.
 */
export function shiftsByCategory(
  texts: readonly TextNode[],
  from: readonly (CivilDate | undefined)[],
  to: readonly CivilDate[],
): readonly Shift[][] {
  return texts.slice(0, MAX_KEYS).map((key) =>
    UNITS.flatMap((unit): Shift[] => {
      const amounts = amountsOf(key, from, to, unit)
      if (amounts === undefined) return []
      const cases = [...amounts].map(([category, value]) => ({ key: category, value }))
      const cost = key.cost.with('rateTable').with('rateTable.rate', amounts.size)
      return [{ amount: numberBy((of) => lookup(of, cases))(key, cost), unit }]
    }),
  )
}
