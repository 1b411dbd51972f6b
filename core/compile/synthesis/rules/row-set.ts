/** Sets of rows as bits, for tens of thousands of rows. */
export type RowSet = Uint32Array

/** The rows for which the test holds. */
export function rowSet(count: number, test: (row: number) => boolean): RowSet {
  const set = new Uint32Array((count + 31) >>> 5)
  for (let row = 0; row < count; row++) if (test(row)) set[row >>> 5] = (set[row >>> 5] ?? 0) | (1 << (row & 31))
  return set
}

function bitsOf(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555)
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
  return (((x + (x >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/** Number of rows in the set. */
export function sizeOf(set: RowSet): number {
  let count = 0
  for (const word of set) count += bitsOf(word)
  return count
}

/** Number of rows in both sets. */
export function sharedSize(a: RowSet, b: RowSet): number {
  let count = 0
  for (let i = 0; i < a.length; i++) count += bitsOf((a[i] ?? 0) & (b[i] ?? 0))
  return count
}

/** The rows of the first set that are not in the second. */
export function minus(a: RowSet, b: RowSet): RowSet {
  return a.map((word, i) => word & ~(b[i] ?? 0))
}

/** The rows in both sets. */
export function both(a: RowSet, b: RowSet): RowSet {
  return a.map((word, i) => word & (b[i] ?? 0))
}
