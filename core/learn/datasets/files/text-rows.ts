import { createReadStream } from 'node:fs'
import { DomainError, invalidField, KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { decodeUtf8 } from '../../../kernel/json/utf8.ts'
import { readLines } from '../../../compile/rows/intake/byte-lines.ts'
import { entriesOfList, parseItem } from '../../../compile/rows/table/json/json-items.ts'
import { chooseDelimiter } from '../../../compile/rows/table/text/delimiter.ts'
import { RecordReader, type TextRecord } from '../../../compile/rows/table/text/records.ts'
import type { FileBounds, FileRow } from './data-file.ts'
import { listCell } from './json-cells.ts'

const PIECE_BYTES = 1 << 18
/** A line may be longer than its row: escapes take up to six bytes for one, and other members are ignored. */
const RAW_FACTOR = 8
const MOST_COLUMNS = 1000

/** Yields the objects of a JSONL file; blank lines are skipped. Throws what `parseJsonText` throws, with the line. */
export async function* jsonlRows(path: string, bounds: FileBounds): AsyncGenerator<FileRow> {
  const bytes = createReadStream(path, { highWaterMark: PIECE_BYTES })
  let isFirst = true
  for await (const line of readLines(bytes, bounds.rowBytes * RAW_FACTOR)) {
    const field = `line[${line.number}]`
    const text = decodeUtf8(line.bytes, field)
    const trimmed = (isFirst ? text.replace(/^\ufeff/, '') : text).trim()
    isFirst = false
    if (trimmed === '') continue
    const item = { line: line.number, column: text.indexOf(trimmed) + 1, text: trimmed }
    yield { value: objectOf(parseItem(item, { depth: bounds.jsonDepth + 2 }), field), field }
  }
}

/** Yields the objects of a JSON list, each before the next one is read. */
export async function* jsonRows(path: string, bounds: FileBounds): AsyncGenerator<FileRow> {
  const items = entriesOfList(texts(path), { chars: bounds.rowBytes * RAW_FACTOR, depth: bounds.jsonDepth })
  let number = 0
  for await (const item of items) {
    const field = `row[${++number}]`
    yield { value: objectOf(parseItem(item, { depth: bounds.jsonDepth + 2 }, field), field), field }
  }
}

/** Yields the records of a CSV file (RFC 4180, any delimiter) as objects of texts, by the names of its header. */
export async function* csvRows(path: string, bounds: FileBounds): AsyncGenerator<FileRow> {
  const limits = { columns: MOST_COLUMNS, chars: bounds.rowBytes * RAW_FACTOR }
  let reader: RecordReader | undefined
  let names: readonly string[] | undefined
  const rowOf = (record: TextRecord): FileRow | null => {
    if (names === undefined) {
      names = headerOf(record)
      return null
    }
    const field = `line[${record.line}]`
    if (record.cells.length !== names.length) {
      throw invalidField(field, `has ${record.cells.length} cells, and the header has ${names.length}`)
    }
    const named = names
    const cells = record.cells.map((cell, at): [string, Json] => {
      const name = named[at] ?? ''
      return [name, cellOf(name, cell, bounds, field)]
    })
    return { value: Object.fromEntries(cells), field }
  }
  for await (const text of texts(path)) {
    reader ??= new RecordReader(chooseDelimiter(text, undefined, limits).delimiter, limits)
    for (const record of reader.read(text)) {
      const row = rowOf(record)
      if (row !== null) yield row
    }
  }
  for (const last of reader?.end() ?? []) {
    const row = rowOf(last)
    if (row !== null) yield row
  }
}

function headerOf({ cells, line }: TextRecord): readonly string[] {
  const names = cells.map((cell) => cell.trim())
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw invalidField(`line[${line}]`, `names the column ${twice} twice`)
  if (names.includes('')) throw invalidField(`line[${line}]`, 'has a column without a name')
  if (names.includes('__proto__')) throw invalidField(`line[${line}]`, 'names a column __proto__')
  return names
}

/** An empty cell is absent; a list of messages is read as JSON. */
function cellOf(name: string, cell: string, bounds: FileBounds, field: string): Json {
  if (cell === '') return name === 'completion' || name === 'output' || name === 'text' ? '' : null
  return listCell(name, cell, bounds.jsonDepth + 1, field)
}

async function* texts(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
      const text = decoder.decode(chunk, { stream: true })
      yield text
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line++
    }
    const rest = decoder.decode()
    if (rest !== '') yield rest
  } catch (error) {
    if (error instanceof DomainError || !(error instanceof TypeError)) throw error
    throw invalidField(
      `line[${line}]`,
      'is followed by bytes that are not UTF-8; save the file as UTF-8',
      KERNEL_ERRORS.invalid_encoding,
      error,
    )
  }
}

function objectOf(value: Json, field: string): JsonObject {
  if (!isJsonObject(value)) throw invalidField(field, 'must be an object')
  return value
}
