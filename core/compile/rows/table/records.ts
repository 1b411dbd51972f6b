import type { DomainError } from '../../../kernel/errors.ts'
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
  /** Set for a row that cannot be read, in tables that continue after such rows. */
  readonly fault?: DomainError
}

/** A table that can be read again and again. */
export interface TableSource {
  /** `text` has texts only, `sheet` texts, numbers and booleans, `objects` any JSON and the names of its members. */
  readonly kind: 'text' | 'sheet' | 'objects'
  records(): AsyncIterable<TableRecord>
  /** The same rows in blocks, where they come so. A block is read to its end before the next one. */
  readonly blocks?: () => AsyncIterable<Iterable<TableRecord>>
  /** Names of members, for `objects`: known after the records were read. */
  names(): readonly string[]
  /** Returns the place of a row, or of one of its cells, as the caller sees it. */
  placeOf(line: number, column?: number): string
}

/** Returns the rows of a table in blocks, each of one row where the table has no others. */
export function blocksOf(source: TableSource): AsyncIterable<Iterable<TableRecord>> {
  return source.blocks?.() ?? singles(source)
}

async function* singles(source: TableSource): AsyncGenerator<Iterable<TableRecord>> {
  for await (const record of source.records()) yield [record]
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
