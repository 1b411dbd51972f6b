import { fisherGreater } from '../../../../kernel/statistics/fisher.ts'
import { keyText, type Condition } from '../facts/condition.ts'
import { bitsOf, both, countBits, countBoth, either, noBits, type Bits } from './bits.ts'
import type { Column } from './columns.ts'
import type { Outcomes, Slice } from './search-slices.ts'
import { sortedValues, supportFor } from './selectors.ts'

/** Values to either side that an end of a range is moved over. */
const REACH = 40

/**
 * Moves the ends of a slice's ranges to the values that part the rows best, since ranges are searched on a grid. The
 * p-values stay those of the slice as it was tested.
 */
export function refineRanges(slice: Slice, columns: readonly Column[], outcomes: Outcomes): Slice {
  return slice.conditions.reduce<Slice>((refined, condition, place) => {
    if (!('from' in condition)) return refined
    const column = columns.find(({ key }) => keyText(key) === keyText(condition))
    return column === undefined ? refined : refineOne(refined, { condition, place, column }, outcomes)
  }, slice)
}

interface RangeOf {
  readonly condition: Condition & { readonly from: number; readonly to: number }
  readonly place: number
  readonly column: Column
}

function refineOne(slice: Slice, { condition, place, column }: RangeOf, outcomes: Outcomes): Slice {
  const { total, wrong } = outcomes
  const values = sortedValues(column)
  const others = slice.parts.filter((_, i) => i !== place)
  const { least, most } = supportFor(total)
  const first = values.findIndex(({ value }) => value >= condition.from)
  const last = values.findLastIndex(({ value }) => value <= condition.to)
  let best = { p: testOf(slice.rows, outcomes), slice }
  for (let from = Math.max(0, first - REACH); from <= Math.min(last, first + REACH); from++) {
    const low = values[from]
    if (low === undefined) continue
    let rows = noBits(total)
    for (const [at, { value, places }] of values.slice(from, last + REACH + 1).entries()) {
      rows = either(rows, bitsOf(total, places))
      if (from + at < last - REACH) continue
      const selected = others.reduce((left, other) => both(left, other), rows)
      const support = countBits(selected)
      if (support < least || support > most) continue
      const p = testOf(selected, outcomes)
      if (p >= best.p) continue
      const conditions = slice.conditions.with(place, { ...condition, from: low.value, to: value })
      const parts = slice.parts.with(place, rows)
      best = { p, slice: { ...slice, conditions, parts, rows: selected, support, wrong: countBoth(selected, wrong) } }
    }
  }
  return best.slice
}

function testOf(rows: Bits, { total, wrong, allWrong }: Outcomes): number {
  return fisherGreater({ hits: countBoth(rows, wrong), size: countBits(rows), allHits: allWrong, total })
}
