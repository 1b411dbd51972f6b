import type { Row } from '../task.ts'
import { formUnits, singleUnits, splitKeys, stratify, type Strata, type Unit } from './units.ts'

/** The number of rows below which every row is a fold. */
const FOLD_EACH_BELOW = 10
const FOLDS = 5

/** The name of the rule that `planFolds` follows, as evidence states it. */
export const FOLD_RULE = 'svc-folds-1'

/** Returns the number of folds of so many rows. */
export function countFolds(rows: number): number {
  return rows < FOLD_EACH_BELOW ? rows : FOLDS
}

/** A partition of rows into folds. */
export interface FoldPlan {
  /** The fold of each row, from 0. */
  readonly foldOf: Uint8Array
  readonly byLabel: boolean
}

/**
 * Divides rows into folds by the rule `svc-folds-1` (docs/formats/svc-format.md): as many folds as rows under 10 rows, else 5.
 * Near-duplicates are one unit unless their group is larger than a fold. Units are placed one after the other, the
 * largest first and then by the hash of seed and input, each into the fold that has the fewest rows of its labels, and
 * of these the one with the fewest rows. The order of the rows does not matter; their inputs must be distinct. Pure.
 * @param groupOf the near-duplicate group of each row
 */
export function planFolds(rows: readonly Row[], groupOf: Uint32Array, seed: string): FoldPlan {
  const count = countFolds(rows.length)
  const strata = stratify(rows)
  const keys = splitKeys(rows, seed)
  const grouped = formUnits(rows, keys, groupOf, Math.ceil(rows.length / count))
  // With fewer units than folds a fold would be empty.
  const units = grouped.length < count ? singleUnits(keys) : grouped
  return { foldOf: placeUnits(units, strata, count), byLabel: strata.byLabel }
}

function placeUnits(units: readonly Unit[], strata: Strata, count: number): Uint8Array {
  const foldOf = new Uint8Array(strata.of.length)
  const folds = Array.from({ length: count }, () => ({ rows: 0, ofStratum: new Uint32Array(strata.sizes.length) }))
  const largestFirst = units.toSorted((a, b) => b.rows.length - a.rows.length)
  for (const unit of largestFirst) {
    const places = folds.map(({ rows, ofStratum }) => ({
      rows,
      alike: unit.rows.reduce((sum, row) => sum + (ofStratum[strata.of[row] ?? 0] ?? 0), 0),
    }))
    const best = places.reduce((leader, place) =>
      place.alike < leader.alike || (place.alike === leader.alike && place.rows < leader.rows) ? place : leader,
    )
    const number = places.indexOf(best)
    const fold = folds[number]
    if (fold === undefined) continue
    fold.rows += unit.rows.length
    for (const row of unit.rows) {
      foldOf[row] = number
      const stratum = strata.of[row] ?? 0
      fold.ofStratum[stratum] = (fold.ofStratum[stratum] ?? 0) + 1
    }
  }
  return foldOf
}
