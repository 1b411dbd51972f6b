import { invalidField, KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import type { IntakeBounds } from '../intake/bounds.ts'
import { entriesOfList, linesOfText, type ItemBounds, type JsonItem } from './json/json-items.ts'
import { objectsOf, tableOfObjects, type PlacedObject } from './json/objects.ts'
import { isMapped, type TableMapping } from './mapping.ts'
import type { TableRecord, TableSource } from './records.ts'
import { sheetTable } from './workbook/sheet-table.ts'
import { decodeText } from './text/decode.ts'
import { chooseDelimiter, type ChosenDelimiter } from './text/delimiter.ts'
import { EncodingCensus } from './text/encoding-census.ts'
import { chooseEncoding, type ChosenEncoding } from './text/guess-encoding.ts'
import { blocksOfText, type RecordBounds } from './text/records.ts'

/** Formats of files of examples; `text` is looked at to see which it is. */
export type TableFormat = 'csv' | 'jsonl' | 'json' | 'sheet' | 'text'

/** Most columns of a table, or different members of its objects. */
export const MAX_COLUMNS = 256
/** A row may be longer than its canonical form: quotation marks and escapes take up to this many characters for one. */
export const RAW_FACTOR = 8
const HEAD_CHARS = 64 * 1024

/** The bytes of a file, from the beginning each time. */
export type Reread = () => AsyncIterable<Uint8Array>

/** A file that is known well enough to be read as a table. */
export interface OpenedTable {
  readonly format: 'csv' | 'jsonl' | 'json' | 'sheet'
  readonly encoding: ChosenEncoding | null
  readonly delimiter: ChosenDelimiter | null
  readonly source: TableSource
  /** The objects of a file whose members have the names of examples already, so that nothing is to be mapped. */
  readonly examples: (() => AsyncIterable<PlacedObject>) | null
}

/**
 * Reads a file once or twice to learn its encoding, format and delimiter. Throws `no_examples` for an empty file, and
 * `invalid_encoding`.
 */
export async function openTable(
  file: GivenTable,
  bytes: Reread,
  mapping: TableMapping,
  bounds: IntakeBounds,
): Promise<OpenedTable> {
  const opened = await openRows(file, bytes, mapping, bounds)
  if (opened.kind === 'table') return { ...opened, examples: null }
  const { format, encoding, items } = opened
  const objects = () => objectsOf(items(), itemBounds(bounds))
  const source = tableOfObjects(objects, MAX_COLUMNS)
  const examples = !isMapped(mapping) && (await isStandard(objects())) ? objects : null
  return { format, encoding, delimiter: null, source, examples }
}

/** A file of a table, as far as its sender says what it is. */
export interface GivenTable {
  readonly format: TableFormat
  readonly sheet?: string
  /** Name of the one column that is read, where it is known. */
  readonly column?: string
  /** True to return broken rows of delimited text with their faults, and to continue after them. */
  readonly recovers?: boolean
}

/** Rows of a file: of cells, or JSON values that are not parsed yet. */
export type OpenedRows =
  | (Omit<OpenedTable, 'examples' | 'format'> & { readonly kind: 'table'; readonly format: 'csv' | 'sheet' })
  | {
      readonly kind: 'items'
      readonly format: 'jsonl' | 'json'
      readonly encoding: ChosenEncoding
      readonly items: () => AsyncGenerator<JsonItem>
    }

/** Reads a file to learn its encoding, format and delimiter. Throws as `openTable`. */
export async function openRows(
  file: GivenTable,
  bytes: Reread,
  mapping: TableMapping,
  bounds: IntakeBounds,
): Promise<OpenedRows> {
  if (file.format === 'sheet') {
    const source = sheetTable(bytes, file.sheet ?? 'Sheet1')
    return { kind: 'table', format: 'sheet', encoding: null, delimiter: null, source }
  }
  const encoding = chooseEncoding(await countBytes(bytes), mapping.encoding)
  const text = () => decodeText(bytes(), encoding.name)
  const head = await headOf(text())
  if (head.trim() === '') {
    throw invalidField(
      'file',
      'is empty; save the table again, with a row of names and the examples below it',
      COMPILE_ERRORS.no_examples,
    )
  }
  const format = file.format === 'text' ? sniffFormat(head) : file.format
  if (format !== 'csv') {
    const items = () => (format === 'json' ? entriesOfList : linesOfText)(text(), itemBounds(bounds))
    return { kind: 'items', format, encoding, items }
  }
  const rowBounds = { columns: MAX_COLUMNS, chars: bounds.exampleBytes * RAW_FACTOR }
  const delimiter = chooseDelimiter(head, mapping.delimiter, rowBounds, file.column)
  const source = textTable(text, delimiter, { ...rowBounds, recovers: file.recovers ?? false })
  return { kind: 'table', format, encoding, delimiter, source }
}

/** Returns the bounds on a JSON value that is one row. */
export function itemBounds({ exampleBytes, jsonDepth }: IntakeBounds): ItemBounds {
  return { chars: exampleBytes * RAW_FACTOR, depth: jsonDepth + 1 }
}

async function countBytes(bytes: Reread) {
  const census = new EncodingCensus()
  for await (const chunk of bytes()) census.add(chunk)
  return census.finish()
}

async function headOf(text: AsyncIterable<string>): Promise<string> {
  let head = ''
  for await (const piece of text) {
    head += piece
    if (head.length >= HEAD_CHARS) break
  }
  return head.slice(0, HEAD_CHARS)
}

function sniffFormat(head: string): 'csv' | 'jsonl' | 'json' {
  const text = head.trimStart()
  if (/^\[\s*(?:\{|\])/.test(text)) return 'json'
  return text.startsWith('{') ? 'jsonl' : 'csv'
}

/** True when the first object has an input by one of its names, as the examples of the API have. */
async function isStandard(objects: AsyncIterable<PlacedObject>): Promise<boolean> {
  for await (const { value } of objects) return Object.hasOwn(value, 'input') || Object.hasOwn(value, 'prompt')
  return false
}

function textTable(
  text: () => AsyncIterable<string>,
  { delimiter, isDeclared }: ChosenDelimiter,
  bounds: RecordBounds,
): TableSource {
  const blocks = async function* (): AsyncGenerator<Iterable<TableRecord>> {
    let isSkipping = isDeclared
    for await (const block of blocksOfText(text(), delimiter, bounds)) {
      if (!isSkipping) {
        yield block
        continue
      }
      const [first, ...rest] = block
      isSkipping = first === undefined
      yield rest
    }
  }
  return {
    kind: 'text',
    blocks,
    async *records() {
      for await (const block of blocks()) yield* block
    },
    names: () => [],
    placeOf: (line) => `line[${line}]`,
  }
}

/** The longest line of a text file that may hold examples, bytes; files with longer ones are refused as they arrive. */
export function longestLine(bounds: IntakeBounds): number {
  // Four bytes a character at most, and a row may be the whole of a line.
  return bounds.exampleBytes * RAW_FACTOR * 4
}

/**
 * Passes bytes of a text file on, and throws `example_too_large` with the line that is longer than any example. Lists of
 * JSON may be one line: they have no such bound.
 */
export async function* withBoundedLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let line = 1
  let length = 0
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (const end of lineEnds(bytes)) {
      line++
      start = end + 1
      length = 0
    }
    length += bytes.length - start
    if (length > maxBytes) {
      throw invalidField(
        `line[${line}]`,
        `is longer than ${maxBytes} bytes; check the line ends of the file, or shorten the row`,
        MODEL_ERRORS.example_too_large,
      )
    }
    yield chunk
  }
}

/** Line feeds, and carriage returns after the last of them. Time is linear in the bytes. */
function* lineEnds(bytes: Buffer): Generator<number> {
  let from = 0
  for (const end of [0x0a, 0x0d]) {
    for (let at = bytes.indexOf(end, from); at >= 0; at = bytes.indexOf(end, from)) {
      yield at
      from = at + 1
    }
  }
}

/** Throws `unsupported_media_type` for the first bytes of a file of another kind, which says what to do instead. */
export function refuseForeign(head: Uint8Array): void {
  const bytes = Buffer.from(head)
  const found = FOREIGN.find(({ magic }) => bytes.subarray(0, magic.length).equals(magic))
  const isMarkup = /^(?:\xef\xbb\xbf)?\s*<(?:!|\?|html|table|body|xml)/i.test(bytes.toString('latin1'))
  const message = isMarkup ? 'is a web page or XML; save the table as .xlsx or .csv' : found?.message
  if (message !== undefined) throw invalidField('file', message, KERNEL_ERRORS.unsupported_media_type)
}

const FOREIGN = [
  { magic: Buffer.from('%PDF'), message: 'is a PDF; copy the table into a spreadsheet and save it as .xlsx or .csv' },
  { magic: Buffer.from([0x1f, 0x8b]), message: 'is compressed (gzip); unpack it and send the file inside' },
  { magic: Buffer.from('PAR1'), message: 'is a Parquet file; save the table as .csv or .jsonl' },
  { magic: Buffer.from([0x89, 0x50, 0x4e, 0x47]), message: 'is a picture; send the table as .csv or .xlsx' },
  { magic: Buffer.from([0xff, 0xd8, 0xff]), message: 'is a picture; send the table as .csv or .xlsx' },
  { magic: Buffer.from('{\\rtf'), message: 'is a text document (RTF); save the table as .csv or .xlsx' },
  { magic: Buffer.from('SQLite format 3'), message: 'is a database; export the table as .csv' },
] as const
