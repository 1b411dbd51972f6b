import type { Json } from '../../../kernel/json/json.ts'

/** A cell: text of a delimited file, a value of a sheet or of an object; undefined where an object lacks the member. */
export type Cell = Json | undefined

/** One row of a table. */
export interface TableRecord {
  /** Line of a text, or row of a sheet, counted from 1. */
  readonly line: number
  readonly cells: readonly Cell[]
  /** Columns of a text at which the cells begin, where they are known. */
  readonly columns?: readonly number[]
}

/** A table that can be read again and again. */
export interface TableSource {
  /** `text` has texts only, `sheet` texts, numbers and booleans, `objects` any JSON and the names of its members. */
  readonly kind: 'text' | 'sheet' | 'objects'
  records(): AsyncIterable<TableRecord>
  /** Names of members, for `objects`: known after the records were read. */
  names(): readonly string[]
  /** Returns the place of a row, or of one of its cells, as the caller sees it. */
  placeOf(line: number, column?: number): string
}

/** Returns true for a cell that holds nothing. */
export function isBlank(cell: Cell): boolean {
  return cell === undefined || cell === null || (typeof cell === 'string' && cell.trim() === '')
}

/** Returns the text of a cell; empty for one that holds nothing. */
export function cellText(cell: Cell): string {
  if (cell === undefined || cell === null) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}
