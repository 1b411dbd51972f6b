/** Rows of the start of a text, cut by one delimiter. */
export interface CutTexts {
  readonly delimiter: string
  readonly cut: readonly (readonly string[])[]
}

/** Delimiters that texts have as well. */
const MARKS: ReadonlySet<string> = new Set([',', ';'])
const WHOLE = /^\d{1,9}$/
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/

/**
 * Returns true where the first line is a name alone and each line below it is a text: a comma or semicolon of it has a
 * space behind it. Tabs, vertical bars, an empty line below the name, the name as one of several cells, an index and names
 * above numbers are signs of a table instead.
 */
export function areTextsBelow(name: string, head: string, cuts: readonly CutTexts[]): boolean {
  const [first = '', second = ''] = head.trimStart().split(/\r\n?|\n/, 2)
  if (!isSame(first.trim().replace(/^"(.*)"$/, '$1'), name) || second.trim() === '') return false
  return cuts.every(({ delimiter, cut }) =>
    areTexts(
      cut.filter((cells) => cells.length > 1),
      delimiter,
      name,
    ),
  )
}

function areTexts(rows: readonly (readonly string[])[], delimiter: string, name: string): boolean {
  if (rows.length === 0) return true
  return (
    MARKS.has(delimiter) &&
    rows.every(([, ...others]) => others.some((cell) => /^\s+\S/.test(cell))) &&
    !rows.some((cells) => cells.some((cell) => isSame(cell.trim(), name))) &&
    !areCounted(rows) &&
    !isHeaderAboveNumbers(rows)
  )
}

function isSame(text: string, name: string): boolean {
  return text.toLowerCase() === name.toLowerCase()
}

/** True where the first cells count the rows, from 0 or 1. */
function areCounted(rows: readonly (readonly string[])[]): boolean {
  const numbers = rows.map(([first = '']) => (WHOLE.test(first.trim()) ? Number(first) : -1))
  const [start = -1] = numbers
  return (start === 0 || start === 1) && numbers.every((number, at) => number === start + at)
}

/** True for rows of one width where a cell without a number is above numbers alone. */
function isHeaderAboveNumbers([names = [], ...below]: readonly (readonly string[])[]): boolean {
  if (below.length === 0 || below.some((cells) => cells.length !== names.length)) return false
  return names.some(
    (cell, at) => !NUMBER.test(cell.trim()) && below.every((cells) => NUMBER.test((cells[at] ?? '').trim())),
  )
}
