/** @typedef {{ place: number, isDown: boolean }} Order a column by its place, and the direction */

/**
 * Returns the rows that contain the sought text, in the chosen order.
 *
 * @template T
 * @param {{ rows: readonly T[], columns: readonly import('./table.js').Column<T>[], order: Order | undefined,
 *   filter: ((row: T) => string) | undefined, sought: string }} input
 * @returns {readonly T[]}
 */
export function arrange({ rows, columns, order, filter, sought }) {
  const words = sought.trim().toLowerCase()
  const found =
    filter === undefined || words === '' ? rows : rows.filter((row) => filter(row).toLowerCase().includes(words))
  const valueOf = order && columns[order.place]?.sort
  if (order === undefined || valueOf === undefined) return found
  const sign = order.isDown ? -1 : 1
  return found.toSorted((a, b) => compare(valueOf(a), valueOf(b), sign))
}

/**
 * Compares two values; absent ones come last in both directions.
 *
 * @param {string | number | null | undefined} a
 * @param {string | number | null | undefined} b
 * @param {number} sign 1 upwards, -1 downwards
 */
function compare(a, b, sign) {
  const [hasA, hasB] = [a !== null && a !== undefined, b !== null && b !== undefined]
  if (!hasA || !hasB) return Number(hasB) - Number(hasA)
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
  return sign * String(a).localeCompare(String(b))
}
