import type { TableRecord, TableSource } from '../records.ts'
import { cellName } from '../table-error.ts'
import { readLines } from '../../intake/byte-lines.ts'

/** Longest row of a sheet in its form between the threads; its reader has bounded the cells. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

/** Returns the line in which a row of a sheet goes from the reader of workbooks to the reader of tables. */
export function sheetLine(row: number, cells: readonly unknown[]): string {
  return `${JSON.stringify([row, ...cells])}\n`
}

/** Returns the rows of a sheet, written by `sheetLine`, as a table. Places are those of the sheet: `Prices!B7`. */
export function sheetTable(bytes: () => AsyncIterable<Uint8Array>, sheet: string): TableSource {
  return {
    kind: 'sheet',
    async *records() {
      for await (const line of readLines(bytes(), MAX_LINE_BYTES)) yield recordOf(line.bytes)
    },
    names: () => [],
    placeOf: (row, column = 0) => `${sheet}!${cellName(column, row)}`,
  }
}

function recordOf(bytes: Uint8Array): TableRecord {
  const [line, ...cells] = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString())
  return { line, cells }
}
