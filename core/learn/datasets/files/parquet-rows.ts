import { open } from 'node:fs/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { parquetMetadataAsync, parquetReadObjects, snappyUncompress, type Compressors } from 'hyparquet'
import { DomainError, invalidField } from '../../../kernel/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { listCell } from './json-cells.ts'
import { unsupported, type FileBounds, type FileRow } from './data-file.ts'

/** Rows that are decoded at once. */
const BATCH = 20_000
/** Logical types whose values are no JSON. */
const FOREIGN: ReadonlySet<string> = new Set(['GEOMETRY', 'GEOGRAPHY', 'VARIANT', 'INTERVAL', 'BSON'])

/**
 * Returns decompressors for the pages of one batch: a page is inflated to the size that its header states, and all pages
 * together to `most` bytes. They throw beyond it.
 */
function compressorsUpTo(most: number): Compressors {
  let left = most
  const room = (size: number): { readonly maxOutputLength: number } => {
    left -= size
    if (!(size >= 0 && left >= 0)) throw new Error(`${BATCH} rows inflate to more than ${most} bytes`)
    return { maxOutputLength: Math.max(1, size) }
  }
  return {
    GZIP: (bytes, size) => gunzipSync(bytes, room(size)),
    ZSTD: (bytes, size) => zstdDecompressSync(bytes, room(size)),
    BROTLI: (bytes, size) => brotliDecompressSync(bytes, room(size)),
    SNAPPY: (bytes, size) => {
      room(size)
      const page = new Uint8Array(size)
      snappyUncompress(bytes, page)
      return page
    },
  }
}

/**
 * Yields the rows of a Parquet file as objects, one group of rows after the other. Throws `unsupported_media_type` for a
 * broken file, and `validation_failed` with the column for a type that no row can hold.
 */
export async function* parquetRows(name: string, path: string, bounds: FileBounds): AsyncGenerator<FileRow> {
  const handle = await open(path)
  let isOver = false
  try {
    const { size: byteLength } = await handle.stat()
    const file = {
      byteLength,
      async slice(from: number, to: number = byteLength): Promise<ArrayBuffer> {
        const bytes = new ArrayBuffer(to - from)
        await handle.read(new Uint8Array(bytes), 0, to - from, from)
        // When a column cannot begin, the reader abandons those that have: a failure of theirs would end the process.
        return isOver ? await new Promise<never>(() => undefined) : bytes
      },
    }
    const metadata = await readable(name, async () => await parquetMetadataAsync(file))
    for (const { name: column, logical_type: logical, converted_type: converted } of metadata.schema) {
      const type = [logical?.type, converted].find((each) => each !== undefined && FOREIGN.has(each))
      if (type !== undefined) {
        throw invalidField(`column[${column}]`, `has the Parquet type ${type}, which no row can hold; convert it`)
      }
    }
    let start = 0
    for (const group of metadata.row_groups) {
      const end = start + Number(group.num_rows)
      for (let from = start; from < end; from += BATCH) {
        const to = Math.min(end, from + BATCH)
        const compressors = compressorsUpTo(bounds.inflatedBytes)
        const range = { file, metadata, rowStart: from, rowEnd: to, compressors, utf8: false }
        const rows = await readable(name, async () => await parquetReadObjects(range))
        for (const [at, row] of rows.entries()) {
          const field = `row[${from + at + 1}]`
          const value = jsonOf(row, field, bounds.jsonDepth + 2)
          if (!isJsonObject(value)) throw invalidField(field, 'must be an object')
          yield { value: withLists(value, field, bounds), field }
        }
      }
      start = end
    }
  } finally {
    isOver = true
    await handle.close()
  }
}

/** A row whose texts are lists of messages where they write one. */
function withLists(value: JsonObject, field: string, { jsonDepth }: FileBounds): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, cell]) => [
      name,
      typeof cell === 'string' ? listCell(name, cell, jsonDepth + 1, field) : cell,
    ]),
  )
}

async function readable<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof DomainError) throw error
    const why = error instanceof Error ? error.message.replace(/^parquet /, '') : ''
    throw unsupported(name, `cannot be read as Parquet (${why}); write it again, compressed with Snappy or Zstandard`)
  }
}

/** A decoded value as JSON: whole numbers up to 2^53, times as ISO 8601, bytes where they are UTF-8. */
function jsonOf(value: unknown, field: string, depth: number): Json {
  if (depth < 0) throw invalidField(field, 'is nested too deeply')
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'undefined':
      return null
    case 'number':
      if (!Number.isFinite(value)) throw invalidField(field, 'is not a finite number')
      return value
    case 'bigint': {
      const number = Number(value)
      if (!Number.isSafeInteger(number)) throw invalidField(field, 'is larger than 2^53 - 1: store it as text')
      return number
    }
    case 'object':
      return nestedOf(value, field, depth)
    default:
      throw invalidField(field, 'is of a Parquet type that no row can hold')
  }
}

function nestedOf(value: object | null, field: string, depth: number): Json {
  if (value === null) return null
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return bytesOf(value, field)
  if (ArrayBuffer.isView(value)) throw invalidField(field, 'is of a Parquet type that no row can hold')
  if (Array.isArray(value)) return value.map((each: unknown, at) => jsonOf(each, `${field}[${at}]`, depth - 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]: [string, unknown]) => [name, jsonOf(each, `${field}.${name}`, depth - 1)]),
  )
}

function bytesOf(value: Uint8Array, field: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(value)
  } catch (cause) {
    throw invalidField(field, 'holds bytes that are no UTF-8 text; store them as text', undefined, cause)
  }
}
