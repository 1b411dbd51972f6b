import {
  countRecords,
  readRecord,
  RECORD_BYTES,
  type IndexRecord,
} from '../../../core/learn/datasets/index/row-index.ts'
import { readRow, type StoredRow } from '../../../core/learn/datasets/rows/stored-row.ts'
import { readLines } from '../../../core/compile/rows/intake/byte-lines.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Database } from '../../kernel/database.ts'
import { readBlob } from '../../kernel/blobs/read-blob.ts'
import type { ReadyVersion } from './find-dataset.ts'

/** Records of an index that are looked through at once. */
const WINDOW = 4096
/** Longest line of stored rows. */
const LINE_BYTES = 64 * 1024 * 1024

/** A row at its place in a version; `stored` is null for a tombstone. */
export interface PlacedRow {
  readonly place: number
  readonly record: IndexRecord
  readonly stored: StoredRow | null
}

/** Which rows to read. */
export interface RowsAsked {
  /** Hashes of rows that were forgotten and are not erased yet: they are tombstones already. */
  readonly forgotten?: ReadonlySet<string> | undefined
  /** The first place to look at, from 0. */
  readonly from: number
  readonly limit: number
  /** Rows of one side alone. */
  readonly isHeld?: boolean | undefined
}

/**
 * Reads a page of a version's rows: the records from the index, then their lines, which lie together. Returns the place to
 * continue from; null at the end. Takes as long for the last page as for the first.
 */
export async function readPage(
  db: Database,
  version: Pick<ReadyVersion, 'rowsSha256' | 'indexSha256' | 'rowCount'>,
  { from, limit, isHeld, forgotten = NONE }: RowsAsked,
): Promise<{ readonly rows: readonly PlacedRow[]; readonly next: number | null }> {
  const found: { place: number; record: IndexRecord }[] = []
  let place = from
  while (place < version.rowCount && found.length < limit) {
    const to = Math.min(version.rowCount, place + (isHeld === undefined ? limit : WINDOW))
    const records = await collect(
      readBlob(db, version.indexSha256, { fromByte: place * RECORD_BYTES, toByte: to * RECORD_BYTES }),
    )
    for (let at = 0; at < countRecords(records) && found.length < limit; at++, place++) {
      const record = masked(readRecord(records, at), forgotten)
      if (isHeld === undefined || record.isHeld === isHeld) found.push({ place, record })
    }
  }
  const rows = await Promise.all(runsOf(found).map(async (run) => await readRun(db, version.rowsSha256, run)))
  return { rows: rows.flat(), next: place < version.rowCount ? place : null }
}

/** Records whose lines follow each other closely are read in one piece. */
function runsOf<T extends { readonly record: IndexRecord }>(found: readonly T[]): readonly T[][] {
  const runs: T[][] = []
  let end = 0
  for (const one of found) {
    const { offset, length } = one.record
    const last = runs.at(-1)
    if (last === undefined || offset - end > GAP_BYTES) runs.push([one])
    else last.push(one)
    end = offset + length
  }
  return runs
}

/** Bytes between two rows that are read along. */
const GAP_BYTES = 64 * 1024
const NONE: ReadonlySet<string> = new Set()

/** A record as it is shown: that of a row that was forgotten is a tombstone at once. */
function masked(record: IndexRecord, forgotten: ReadonlySet<string>): IndexRecord {
  if (forgotten.size === 0 || !forgotten.has(Buffer.from(record.hash).toString('hex'))) return record
  return { ...record, isForgotten: true }
}

async function readRun(
  db: Database,
  rows: Sha256,
  run: readonly { readonly place: number; readonly record: IndexRecord }[],
): Promise<readonly PlacedRow[]> {
  const live = run.filter(({ record }) => !record.isForgotten)
  const first = live[0]?.record
  const last = live.at(-1)?.record
  const fromByte = first?.offset ?? 0
  const bytes =
    first === undefined || last === undefined
      ? Buffer.alloc(0)
      : await collect(readBlob(db, rows, { fromByte, toByte: last.offset + last.length }))
  return run.map(({ place, record }) => {
    if (record.isForgotten) return { place, record, stored: null }
    const line = bytes.subarray(record.offset - fromByte, record.offset - fromByte + record.length)
    return { place, record, stored: readRow(line.toString('utf8')) }
  })
}

/** Yields the rows of a version in their order, tombstones left out, in bounded memory. */
export async function* streamRows(
  db: Database,
  version: Pick<ReadyVersion, 'rowsSha256' | 'indexSha256'>,
  forgotten: ReadonlySet<string>,
): AsyncGenerator<PlacedRow & { readonly stored: StoredRow }> {
  const records = recordsOf(db, version.indexSha256)
  const decoder = new TextDecoder()
  for await (const { bytes } of readLines(readBlob(db, version.rowsSha256), LINE_BYTES)) {
    const next = await nextWithLine(records)
    const record = masked(next.record, forgotten)
    if (!record.isForgotten) yield { place: next.place, record, stored: readRow(decoder.decode(bytes)) }
  }
}

/** Yields the records of an index with their places. */
async function* recordsOf(db: Database, index: Sha256): AsyncGenerator<{ place: number; record: IndexRecord }> {
  let place = 0
  // Chunks hold whole records: their size is a multiple of a record's.
  for await (const chunk of readBlob(db, index)) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    for (let at = 0; at < countRecords(bytes); at++) yield { place: place++, record: readRecord(bytes, at) }
  }
}

/** The next record of a row that has a line: tombstones have none. */
async function nextWithLine(records: AsyncGenerator<{ place: number; record: IndexRecord }>) {
  for (;;) {
    const { done, value } = await records.next()
    if (done === true) throw new Error('the index of a version has fewer rows than lines')
    if (!value.record.isForgotten) return value
  }
}

/** Reads the index of a version: 64 bytes a row. */
export async function readIndex(db: Database, index: Sha256): Promise<Buffer> {
  return await collect(readBlob(db, index))
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const chunk of chunks) pieces.push(chunk)
  return Buffer.concat(pieces)
}
