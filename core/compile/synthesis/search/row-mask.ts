/** A set of working rows as the bits of a number: working sets hold at most 30 rows. */
export const MAX_WORKING_ROWS = 30

/** The first `count` rows. */
export function allRows(count: number): number {
  return count >= MAX_WORKING_ROWS ? 2 ** MAX_WORKING_ROWS - 1 : 2 ** count - 1
}

/** The rows for which the test holds. */
export function rowsWhere(count: number, test: (row: number) => boolean): number {
  let mask = 0
  for (let row = 0; row < count; row++) if (test(row)) mask |= 1 << row
  return mask
}

/** The rows of a mask, in order. */
export function rowsOf(mask: number): number[] {
  const rows: number[] = []
  for (let rest = mask; rest !== 0; rest &= rest - 1) rows.push(31 - Math.clz32(rest & -rest))
  return rows
}

/** Number of rows in a mask. */
export function countRows(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++
  return count
}
