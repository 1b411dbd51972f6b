import { CsvError, parse } from 'csv-parse'
import { KERNEL_ERRORS, invalidField, type DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import { decodeUtf8Piece } from '../../../kernel/json/utf8.ts'
import type { IntakeBounds } from './bounds.ts'
import { CsvBounds } from './csv-bounds.ts'
import type { Example } from './example.ts'
import { createExampleParser } from './parse-example.ts'

const RAW_FACTOR = 8
const MAX_COLUMNS = 256
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]
/** Columns that are not part of the input. */
const OTHER_COLUMNS: ReadonlySet<string> = new Set(['id', 'output', 'kind'])

function decodeRecord(record: unknown, field: string): string[] {
  if (!Array.isArray(record)) throw invalidField(field, 'is not a record')
  return record.map((cell: unknown) => (cell instanceof Uint8Array ? decodeUtf8Piece(cell, field) : String(cell)))
}

function readHeader(cells: readonly string[]): readonly string[] {
  const names = cells.map((cell) => cell.trim())
  if (names.length > MAX_COLUMNS) throw invalidField('header', `has more than ${MAX_COLUMNS} columns`)
  if (!names.includes('output')) {
    const [only = ''] = names
    const hint = names.length === 1 && /[;\t|]/.test(only) ? '; columns must be separated by commas' : ''
    throw invalidField('header', `has no column named output${hint}`)
  }
  if (names.includes('__proto__')) throw invalidField('header', 'names a column __proto__, which is not allowed')
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw invalidField('header', `names the column ${twice} twice`)
  if (names.includes('')) throw invalidField('header', 'has a column without a name')
  if (!names.some((name) => !OTHER_COLUMNS.has(name))) throw invalidField('header', 'has no input column')
  return names
}

function toValue(names: readonly string[], cells: readonly string[], field: string): Record<string, unknown> {
  if (cells.length !== names.length) {
    throw invalidField(field, `has ${cells.length} columns, the header has ${names.length}`)
  }
  const cell = new Map(names.map((name, i) => [name, cells[i] ?? '']))
  const inputs = names.filter((name) => !OTHER_COLUMNS.has(name))
  const id = cell.get('id')
  const kind = cell.get('kind')
  return {
    input: cell.get('input') ?? Object.fromEntries(inputs.map((name) => [name, cell.get(name) ?? ''])),
    output: cell.get('output') ?? '',
    ...(id === undefined || id === '' ? {} : { id }),
    ...(kind === undefined || kind === '' ? {} : { kind }),
  }
}

/** Messages for quoting faults; the parser's own would expose its internals. */
const QUOTING: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE:
    'a quotation mark stands inside a value; put the value in quotation marks and double those inside it',
  CSV_INVALID_CLOSING_QUOTE:
    'something follows the quotation mark that ends a value; double the quotation marks inside a value, and separate columns by commas',
  CSV_QUOTE_NOT_CLOSED: 'a value begins with a quotation mark and never ends',
}

function toDomainError(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  const lines: unknown = error['lines']
  const column: unknown = error['column']
  const field = typeof lines === 'number' ? `line[${lines}]` : 'file'
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return invalidField(field, 'belongs to a record that is too long', MODEL_ERRORS.example_too_large, error)
  }
  const place = typeof column === 'number' ? `column ${column + 1}: ` : ''
  return invalidField(
    field,
    place + (QUOTING[error.code] ?? 'is not CSV (RFC 4180)'),
    KERNEL_ERRORS.validation_failed,
    error,
  )
}

/** The bytes without a byte order mark. Throws `invalid_encoding` for one of UTF-16, which no quoting survives. */
async function* withoutMark(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start = Buffer.alloc(0)
  let isStart = true
  for await (const chunk of bytes) {
    if (!isStart) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < UTF8_MARK.length) continue
    isStart = false
    yield cutMark(start)
  }
  if (isStart && start.length > 0) yield cutMark(start)
}

function cutMark(start: Buffer): Buffer {
  if (UTF16_MARKS.some((mark) => start.subarray(0, 2).equals(mark))) {
    throw invalidField('file', 'is UTF-16; save it as UTF-8', KERNEL_ERRORS.invalid_encoding)
  }
  return start.subarray(0, 3).equals(UTF8_MARK) ? start.subarray(3) : start
}

/**
 * The examples of a CSV stream (RFC 4180) whose first record names the columns: `output`, and either `input` or
 * other columns that become the members of an object; `id` and `kind` where there are such. All values are texts.
 * Errors name the record (`row[17]`, counted from 1 after the header), or the line where the quoting is broken.
 */
export async function* examplesFromCsv(
  bytes: AsyncIterable<Uint8Array>,
  bounds: IntakeBounds,
): AsyncGenerator<Example> {
  const parser = createExampleParser(bounds)
  let names: readonly string[] | null = null
  let records = 0
  for await (const record of recordsOf(withoutMark(bytes), bounds)) {
    if (names === null) {
      names = readHeader(decodeRecord(record, 'header'))
      continue
    }
    const field = `row[${records + 1}]`
    yield parser.parse(toValue(names, decodeRecord(record, field), field), field)
    records++
  }
}

/** The records of a stream, each chunk's before the next chunk is asked for. */
async function* recordsOf(bytes: AsyncIterable<Uint8Array>, { exampleBytes }: IntakeBounds): AsyncGenerator<unknown> {
  const maxBytes = exampleBytes * RAW_FACTOR
  const counted = new CsvBounds({ columns: MAX_COLUMNS, bytes: maxBytes })
  // `encoding: null` leaves the cells as bytes, so that each is decoded strictly and a broken one can be named.
  const csv = parse({
    encoding: null,
    max_record_size: maxBytes,
    skip_empty_lines: true,
    // Counted here: the parser's own error would overtake the records before it.
    relax_column_count: true,
  })
  let broken: Error | undefined
  csv.on('error', (error) => (broken = error))
  try {
    let refusal: DomainError | null = null
    for await (const chunk of bytes) {
      const checked = counted.check(chunk)
      refusal = checked.error
      if (refusal && checked.isCut) throw refusal
      // Written by hand: a piped stream would be read ahead of the rows. The parser takes the whole chunk at once, and
      // its callback comes when the records are read.
      const written = new Promise<void>((resolve) => csv.write(checked.bytes, () => resolve()))
      for (const record of parsed(csv)) yield record
      await written
      if (broken) throw toDomainError(broken)
      if (refusal) break
    }
    const ended = new Promise<void>((resolve) => {
      csv.once('close', resolve)
      csv.end(resolve)
    })
    for (const record of parsed(csv)) yield record
    await ended
    for (const record of parsed(csv)) yield record
    // A fault in an earlier record takes precedence.
    if (refusal) throw refusal
    if (broken) throw toDomainError(broken)
  } finally {
    csv.destroy()
  }
}

function* parsed(csv: { read(): unknown }): Generator<unknown> {
  for (let record = csv.read(); record !== null; record = csv.read()) yield record
}
