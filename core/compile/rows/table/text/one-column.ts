/** Rows of the start of a text, cut by one delimiter. */
export interface CutRows {
  /** Cells of each row. */
  readonly widths: readonly number[]
  /** The commonest width. */
  readonly width: number
}

/** Rows of one width from which on they are a table below titles, and their share of the rows that they stand among. */
const TABLE_ROWS = 2
const TABLE_SHARE = 3 / 4
/** A line that is one amount with a comma before its decimals, and what stands beside it: `€ 1.308,48`, `52,3 m²`. */
const AMOUNT = /^([^\d,+−-]{0,8})[+−-]?\s?(\d{1,3}(?:[. '’\u00a0\u202f]\d{3})+|\d+),\d{1,3}(\D{0,8})$/u
const SEPARATOR = /[\t;|"]/

/**
 * Returns true for one column under a name without a delimiter, where most rows have one cell and the others are texts
 * with commas, or the rows are amounts such as `13,70 €`. A table below several titles is none.
 */
export function isOneColumn(head: string, cuts: readonly CutRows[]): boolean {
  if (cuts.some(({ widths: [first] }) => first !== 1)) return false
  if (cuts.every(({ width }) => width < 2))
    return cuts.every(({ widths }) => widths.at(-1) === 1 && !endsInTable(widths))
  return areAmounts(head)
}

/** True where rows of several cells stand together, nearly all of one width: a subtotal or a ragged row may be among them. */
function endsInTable(widths: readonly number[]): boolean {
  const isWide = (width: number): boolean => width > 1
  const among = widths.slice(widths.findIndex(isWide), widths.findLastIndex(isWide) + 1)
  const [first] = among
  const same = among.filter((width) => width === first).length
  const areTogether = among.some((width, at) => isWide(width) && width === first && among[at + 1] === width)
  return widths.some(isWide) && areTogether && same >= TABLE_ROWS && same >= among.length * TABLE_SHARE
}

/**
 * True where each comma below the first row stands in an amount, and half of these show that they are amounts: by one
 * currency or unit, or by digits in groups. `1,5` alone may be two cells.
 */
function areAmounts(head: string): boolean {
  const [, ...rows] = head.split(/\r\n?|\n/).filter((line) => line.trim() !== '')
  // The last row of a start may be cut off.
  const whole = rows.length > 1 && !/[\r\n]$/.test(head) ? rows.slice(0, -1) : rows
  if (whole.some((line) => SEPARATOR.test(line))) return false
  const affixes = new Set<string>()
  let amounts = 0
  let shown = 0
  for (const line of whole) {
    if (!line.includes(',')) continue
    const found = AMOUNT.exec(line.trim())
    if (found === null) return false
    const [, before = '', digits = '', after = ''] = found
    const affix = `${before.trim()}${after.trim()}`
    if (affix !== '') affixes.add(affix)
    amounts++
    if (affix !== '' || /\D/.test(digits)) shown++
  }
  return affixes.size <= 1 && shown > 0 && shown * 2 >= amounts
}
