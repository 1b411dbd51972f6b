import type { Row } from '../task.ts'
import { takeHoldout } from './take-holdout.ts'
import { formUnits, singleUnits, splitKeys, stratify, type Strata } from './units.ts'

const SHARE = 0.2
/** Rows that stay out, whatever a fifth of them is. */
export const LEAST_HELD = 2
/** Rows of which two can stay out and one is left to learn from. */
const LEAST_ROWS = LEAST_HELD + 1

/** Returns true when there are enough rows to hold some out. */
export function canHoldOut(rows: number): boolean {
  return rows >= LEAST_ROWS
}

/** Returns the most rows that are held out of so many. */
export function mostHeldOut(rows: number): number {
  return Math.max(LEAST_HELD, Math.ceil(rows * SHARE))
}

/**
 * Returns the number of held-out rows of each stratum: `total` divided in proportion, remaining places going to the
 * largest remainders (Hamilton's method); every stratum keeps one train row.
 */
export function shareOut(sizes: readonly number[], total: number): number[] {
  const rows = sizes.reduce((sum, size) => sum + size, 0)
  const exact = sizes.map((size) => (size * total) / rows)
  const quota = exact.map((share, i) => Math.min(Math.floor(share), Math.max(0, (sizes[i] ?? 0) - 1)))
  const byRemainder = sizes
    .map((_, i) => i)
    .sort((a, b) => (exact[b] ?? 0) - (quota[b] ?? 0) - ((exact[a] ?? 0) - (quota[a] ?? 0)) || a - b)
  let left = total - quota.reduce((sum, share) => sum + share, 0)
  for (const stratum of byRemainder) {
    if (left === 0) break
    const taken = quota[stratum] ?? 0
    if (taken >= (sizes[stratum] ?? 0) - 1) continue
    quota[stratum] = taken + 1
    left--
  }
  return quota
}

/**
 * Holds out a fifth of the rows, rounded up and at least two: those whose SHA-256 of input and seed is smallest, divided
 * over the labels of a label task. Near-duplicates stay on one side unless one group of them is larger than the whole
 * holdout; it is then as close to a fifth, from below, as the groups allow.
 * @returns 1 for each row that is held out
 */
export function holdOutFifth(
  rows: readonly Row[],
  groupOf: Uint32Array,
  seed: string,
): { readonly held: Uint8Array; readonly byLabel: boolean } {
  const target = mostHeldOut(rows.length)
  const strata = stratify(rows)
  const keys = splitKeys(rows, seed)
  const single = singleUnits(keys)
  const whole: Strata = { of: new Uint32Array(rows.length), sizes: [rows.length], byLabel: false }
  // When hardly any group fits into the share of its labels, rows are split singly, and at last without regard to
  // labels: an evaluation on almost no rows would be worse.
  const ways = [
    { units: formUnits(rows, keys, groupOf, target), by: strata },
    { units: single, by: strata },
    { units: single, by: whole },
  ]
  for (const { units, by } of ways) {
    const held = takeHoldout(units, by.of, shareOut(by.sizes, target))
    const count = held.reduce((sum, one) => sum + one, 0)
    if (count * 2 >= target && count >= LEAST_HELD) return { held, byLabel: by.byLabel }
  }
  throw new RangeError(`${rows.length} rows are too few to hold some out`)
}
