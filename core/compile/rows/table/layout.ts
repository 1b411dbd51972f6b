import { cellText, isBlank, type TableRecord, type TableSource } from './records.ts'

/** Rows that are looked at to find where a table begins. */
export const HEAD_ROWS = 20
/** Most rows that may stand above a table, such as a title and the day of a report. */
const MOST_TITLES = 10

/**
 * Returns the rows above a table: the first ones, as long as each has one filled cell, where most rows below them have
 * more. `head` holds the first rows that are not blank.
 */
export function titlesOf(head: readonly TableRecord[]): readonly TableRecord[] {
  const at = head.findIndex((record) => filledCells(record) !== 1)
  if (at < 1 || at > MOST_TITLES) return []
  const below = head.slice(at)
  const wide = below.filter((record) => filledCells(record) > 1).length
  const isTable = below.length > 1 && filledCells(below[0]) > 1 && wide * 2 > below.length
  return isTable ? head.slice(0, at) : []
}

/**
 * Returns true where titles do not look like rows of the table: more blank lines follow than between any two of the
 * first rows (`below`), or one has no delimiter.
 */
export function standApart(
  titles: readonly TableRecord[],
  below: readonly TableRecord[],
  kind: TableSource['kind'],
): boolean {
  const [first] = below
  const last = titles.at(-1)
  if (first === undefined || last === undefined) return false
  const gaps = below.slice(1).map((record, i) => gapBetween(below[i] ?? record, record, kind))
  const isApart = gapBetween(last, first, kind) > Math.max(1, ...gaps)
  return isApart || titles.some(({ cells }) => cells.length === 1 && first.cells.length > 1)
}

/** Lines from the end of a row to the beginning of the next one: 1 without a blank line between them. */
function gapBetween({ line, cells }: TableRecord, next: TableRecord, kind: TableSource['kind']): number {
  const ends = kind === 'text' ? cells.flatMap((cell) => cellText(cell).match(/\r\n|\r|\n/g) ?? []) : []
  return next.line - line - ends.length
}

/** Returns true for a row whose cells are those of the first row, of which several are filled. */
export function isSameRow(first: TableRecord | undefined, { cells, fault }: TableRecord): boolean {
  if (first === undefined || fault !== undefined || cells.length !== first.cells.length) return false
  return cells.every((cell, i) => cell === first.cells[i]) && filledCells(first) > 1
}

/** Number of cells that hold something; 0 for a row that cannot be read. */
function filledCells(record: TableRecord | undefined): number {
  return record === undefined || record.fault !== undefined ? 0 : record.cells.filter((cell) => !isBlank(cell)).length
}
