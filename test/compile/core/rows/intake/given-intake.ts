import { inlineBounds, uploadBounds } from '../../../../../core/compile/rows/intake/bounds.ts'
import type { Example } from '../../../../../core/compile/rows/intake/example.ts'
import type { TableMapping } from '../../../../../core/compile/rows/table/mapping.ts'
import type { TableFormat } from '../../../../../core/compile/rows/table/open-table.ts'
import { examplesOfFile } from '../../../../../core/compile/rows/table/table-examples.ts'
import type { Row } from '../../../../../core/compile/rows/task.ts'
import { DomainError } from '../../../../../core/kernel/errors.ts'
import type { Json } from '../../../../../core/kernel/json/json.ts'
import { DEFAULT_LIMITS } from '../../../../../core/limits.ts'

export const INLINE = inlineBounds(DEFAULT_LIMITS)
export const UPLOAD = uploadBounds(DEFAULT_LIMITS)

export async function* chunksOf(data: Uint8Array | string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(data)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export async function* from<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

export async function fails(work: Promise<unknown>): Promise<DomainError> {
  try {
    await work
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error('it did not fail')
}

/** Reads a file as an upload is read. */
export async function examplesFrom(
  data: Uint8Array | string,
  mapping: TableMapping = {},
  format: TableFormat = 'text',
): Promise<Example[]> {
  return await collect(examplesOfFile({ format, mapping }, () => chunksOf(data), UPLOAD).examples)
}

/** Returns the rows that a compile learns from. */
export async function rowsOf(data: Uint8Array | string, mapping: TableMapping = {}): Promise<Row[]> {
  return (await examplesFrom(data, mapping)).flatMap((example) => (example.kind === 'positive' ? [example.row] : []))
}

/** Returns their inputs and outputs. */
export async function pairsOf(data: Uint8Array | string, mapping: TableMapping = {}): Promise<[Json, Json][]> {
  return (await rowsOf(data, mapping)).map(({ input, output }) => [input, output])
}
