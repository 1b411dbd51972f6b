import { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { CsvError, parse } from 'csv-parse'
import { DomainError, invalidField } from '../../errors.ts'
import type { IntakeBounds } from './bounds.ts'
import type { Example } from './example.ts'
import { createExampleParser } from './parse-example.ts'

const RAW_FACTOR = 8
const MAX_COLUMNS = 256
const BYTE_ORDER_MARK = '\ufeff'
/** Columns that are not part of the input. */
const OTHER_COLUMNS: ReadonlySet<string> = new Set(['id', 'output', 'kind'])

function decodeRecord(record: unknown, field: string, decoder: TextDecoder): string[] {
  if (!Array.isArray(record)) throw invalidField(field, 'is not a record')
  return record.map((cell: unknown) => {
    if (!(cell instanceof Uint8Array)) return String(cell)
    try {
      return decoder.decode(cell)
    } catch (cause) {
      throw new DomainError('invalid_encoding', `${field}: is not valid UTF-8`, {
        details: { fields: [{ field, message: 'is not valid UTF-8' }] },
        cause,
      })
    }
  })
}

function readHeader(cells: readonly string[]): readonly string[] {
  const names = cells.map((cell, i) => (i === 0 && cell.startsWith(BYTE_ORDER_MARK) ? cell.slice(1) : cell).trim())
  if (names.length > MAX_COLUMNS) throw invalidField('header', `has more than ${MAX_COLUMNS} columns`)
  if (!names.includes('output')) throw invalidField('header', 'has no column named output')
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

function toDomainError(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  const lines: unknown = error['lines']
  const field = typeof lines === 'number' ? `line[${lines}]` : 'file'
  return error.code === 'CSV_MAX_RECORD_SIZE'
    ? invalidField(field, 'belongs to a record that is too long', 'example_too_large')
    : new DomainError('validation_failed', `${field}: ${error.message}`, {
        details: { fields: [{ field, message: error.message }] },
        cause: error,
      })
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
  // `encoding: null` leaves the cells as bytes, so that each is decoded strictly and a broken one can be named.
  const csv = parse({
    encoding: null,
    max_record_size: bounds.exampleBytes * RAW_FACTOR,
    skip_empty_lines: true,
    // Counted here: the parser's own error would overtake the records before it.
    relax_column_count: true,
  })
  const source = Readable.from(bytes, { objectMode: false })
  source.on('error', (error) => csv.destroy(error))
  source.pipe(csv)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const parser = createExampleParser(bounds)
  let names: readonly string[] | null = null
  let records = 0
  try {
    for await (const record of csv) {
      if (names === null) {
        names = readHeader(decodeRecord(record, 'header', decoder))
        continue
      }
      const field = `row[${records + 1}]`
      yield parser.parse(toValue(names, decodeRecord(record, field, decoder), field), field)
      records++
    }
  } catch (error) {
    throw toDomainError(error)
  } finally {
    source.destroy()
    csv.destroy()
  }
}
