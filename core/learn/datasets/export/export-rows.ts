import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { canonicalJson, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { COLUMNS, type RowContent } from '../rows/row-content.ts'

/** Rows of one group of a Parquet file. */
const GROUP_ROWS = 5000

/** Facts that determine the columns of an export. */
export type ExportKind = Pick<RowContent, 'type' | 'form'>

/** A file that rows are written to piece by piece. */
export interface RowsFile {
  /** Bytes before the first row. */
  readonly head: string
  /** Takes a row, and returns the bytes that are ready. */
  add(row: JsonObject): string | Uint8Array
  /** Returns the last bytes. */
  end(): string | Uint8Array
}

/** Returns the columns that files of a type have: those of TRL, of a text the one that its form has. */
export function columnsOf({ type, form }: ExportKind): readonly string[] {
  if (type === 'text') return [form === 'messages' ? 'messages' : 'text']
  return COLUMNS[type]
}

/** A row as JSON lines: one shape for all rows of a file, other JSON than texts and messages as its text. */
export function jsonlFile(kind: ExportKind): RowsFile {
  return { head: '', add: (row) => `${JSON.stringify(shapedRow(row, kind))}\n`, end: () => '' }
}

/** A file of CSV (RFC 4180); messages are JSON texts. Nothing is put before formulas: the cells are the data. */
export function csvFile(kind: ExportKind): RowsFile {
  const columns = columnsOf(kind)
  return {
    head: `${columns.join(',')}\r\n`,
    add: (row) => `${columns.map((column) => cellOf(row[column])).join(',')}\r\n`,
    end: () => '',
  }
}

/** A Parquet file, compressed with Snappy, a group of rows at a time; messages are JSON texts. */
export function parquetFile(kind: ExportKind): RowsFile {
  const columns = columnsOf(kind)
  const bytes = new ByteWriter()
  const file = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'rows', num_children: columns.length }, ...columns.map((name) => ({ name, ...elementOf(name) }))],
    statistics: false,
    createdBy: 'svc',
  })
  const take = (): Uint8Array => {
    const taken = bytes.getBytes().slice()
    bytes.index = 0
    return taken
  }
  let group: JsonObject[] = []
  const flush = (): void => {
    if (group.length === 0) return
    const columnData = columns.map((name) => ({
      name,
      data: group.map((row) => parquetCell(row[name])),
      offsetIndex: false,
    }))
    // Nothing is flushed by the writer, so that this returns no promise.
    void file.write({ columnData, rowGroupSize: group.length })
    group = []
  }
  return {
    head: '',
    add(row) {
      group.push(row)
      if (group.length < GROUP_ROWS) return ''
      flush()
      return take()
    },
    end() {
      flush()
      void file.finish()
      return take()
    },
  }
}

function elementOf(column: string) {
  if (column === 'label') return { type: 'BOOLEAN', repetition_type: 'OPTIONAL' } as const
  return { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const
}

function parquetCell(value: Json | undefined): string | boolean | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' || typeof value === 'boolean' ? value : canonicalJson(value)
}

/** A row with every column of its type; messages have role and content, and tool calls where they had them. */
function shapedRow(row: JsonObject, kind: ExportKind): JsonObject {
  return Object.fromEntries(
    columnsOf(kind).flatMap((column): [string, Json][] => {
      const value = row[column]
      if (value === undefined) return []
      if (typeof value === 'string' || typeof value === 'boolean' || kind.form === 'messages') return [[column, value]]
      return [[column, canonicalJson(value)]]
    }),
  )
}

const QUOTED = /[",\r\n]/

function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : JSON.stringify(value)
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
