import { sql } from 'kysely'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Database } from '../database.ts'
import { prepared } from '../queries/compiled.ts'
import type { Reader } from '../queries/read.ts'
import { service } from '../queries/service.ts'
import { CHUNK_BYTES } from './chunks.ts'

/** A stored blob. */
export interface StoredBlob {
  readonly sha256: Sha256
  readonly sizeBytes: number
}

/** Part of a blob, `toByte` excluded. */
export interface ByteRange {
  readonly fromByte?: number
  readonly toByte?: number
}

const blobOf = prepared((q, { sha256 }: { readonly sha256: Sha256 }) =>
  q
    .selectFrom('blobs')
    .select([sql<Sha256>`sha256`.as('sha256'), 'size_bytes as sizeBytes', 'storage_id as storageId'])
    .where('sha256', '=', sha256),
)

const chunkOf = prepared((q, key: { readonly storageId: string; readonly seq: number }) =>
  q.selectFrom('blob_chunks').select('data').where('storage_id', '=', key.storageId).where('seq', '=', key.seq),
)

/** Returns the metadata of a blob; null when it does not exist. */
export async function findBlob(from: Database | Reader, sha256: Sha256): Promise<StoredBlob | null> {
  const [row] = await readerOf(from).read(() => blobOf({ sha256 }))
  return row === undefined ? null : { sha256: row.sha256, sizeBytes: row.sizeBytes }
}

/**
 * Yields the bytes of a blob, or a range of them, chunk by chunk; the next chunk is fetched while the caller works on
 * one. Blobs have no tenant: reach them through a row of the tenant. Throws `not_found`.
 */
export async function* readBlob(
  from: Database | Reader,
  sha256: Sha256,
  range: ByteRange = {},
): AsyncIterable<Uint8Array> {
  yield* chunksOf(from, await requireBlob(from, sha256), range)
}

type BlobRow = StoredBlob & { readonly storageId: string }

async function requireBlob(from: Database | Reader, sha256: Sha256): Promise<BlobRow> {
  const [blob] = await readerOf(from).read(() => blobOf({ sha256 }))
  if (blob === undefined) throw KERNEL_ERRORS.not_found('no such blob')
  return blob
}

async function* chunksOf(from: Database | Reader, blob: BlobRow, range: ByteRange): AsyncIterable<Uint8Array> {
  const first = Math.max(range.fromByte ?? 0, 0)
  const to = Math.min(range.toByte ?? blob.sizeBytes, blob.sizeBytes)
  if (first >= to) return
  const last = Math.floor((to - 1) / CHUNK_BYTES)
  let seq = Math.floor(first / CHUNK_BYTES)
  let next: Promise<Uint8Array> | undefined = readChunk(from, blob.storageId, seq)
  while (next !== undefined) {
    const chunk: Uint8Array = await next
    const start = seq * CHUNK_BYTES
    seq++
    next = seq <= last ? readChunk(from, blob.storageId, seq) : undefined
    // A caller may stop early; then the chunk that was fetched ahead is dropped.
    next?.catch(() => {})
    yield chunk.subarray(Math.max(first - start, 0), Math.min(to - start, chunk.length))
  }
}

/** Reads a whole blob into memory. Throws `not_found`, and `payload_too_large` when it has more than `maxBytes`. */
export async function getBlob(from: Database | Reader, sha256: Sha256, maxBytes: number): Promise<Uint8Array> {
  const blob = await requireBlob(from, sha256)
  if (blob.sizeBytes > maxBytes) throw KERNEL_ERRORS.payload_too_large(`the blob has more than ${maxBytes} bytes`)
  const chunks: Uint8Array[] = []
  for await (const chunk of chunksOf(from, blob, {})) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function readChunk(from: Database | Reader, storageId: string, seq: number): Promise<Uint8Array> {
  const [row] = await readerOf(from).read(() => chunkOf({ storageId, seq }))
  if (row === undefined) throw new Error(`chunk ${seq} of ${storageId} is missing`)
  return row.data
}

/** Reads blobs by digest; they belong to no tenant. */
function readerOf(from: Database | Reader): Reader {
  return 'read' in from ? from : service.reader(from, 'blobs belong to no tenant')
}
