import { createHash, randomUUID } from 'node:crypto'
import { DomainError } from '../../core/errors.ts'
import type { Sha256 } from '../../core/json.ts'
import type { Database } from '../database.ts'
import { inTransaction } from '../transaction.ts'
import { chunked } from './chunks.ts'
import { findBlob, type StoredBlob } from './read-blob.ts'

/** What an upload is held to. */
export interface PutBlobOptions {
  /** Throws `payload_too_large` beyond it. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

/** How often an upload under way shows that it is alive, milliseconds. */
const TOUCH_MS = 60_000

/**
 * Stores bytes under their SHA-256 digest and answers it; bytes that are there already are stored once. Memory stays
 * bounded by a few chunks. Nothing is visible before all of it is: the chunks lie under an id of their own until one
 * row publishes them. When it fails half-way it clears up; what a crash leaves behind, `collectStaleUploads` removes.
 */
export async function putBlob(
  db: Database,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  options: PutBlobOptions = {},
): Promise<StoredBlob> {
  if (source instanceof Uint8Array) {
    const sha256: Sha256 = `sha256:${createHash('sha256').update(source).digest('hex')}`
    const known = await findBlob(db, sha256)
    if (known !== null) return known
  }
  const storageId = randomUUID()
  await db.query('insert into blob_uploads (storage_id, touched_at) values ($1, now())', [storageId])
  try {
    const written = await writeChunks(db, storageId, source, options)
    await publish(db, storageId, written)
    return written
  } catch (error) {
    await discard(db, storageId).catch(() => {})
    throw error
  }
}

async function writeChunks(
  db: Database,
  storageId: string,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  { maxBytes = Number.POSITIVE_INFINITY, signal }: PutBlobOptions,
): Promise<StoredBlob> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  let seq = 0
  let touchedAt = Date.now()
  for await (const chunk of chunked(source)) {
    signal?.throwIfAborted()
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw new DomainError('payload_too_large', `more than ${maxBytes} bytes`)
    hash.update(chunk)
    await db.query('insert into blob_chunks (storage_id, seq, data) values ($1, $2, $3)', [storageId, seq++, chunk])
    if (Date.now() - touchedAt > TOUCH_MS) {
      touchedAt = Date.now()
      await db.query('update blob_uploads set touched_at = now() where storage_id = $1', [storageId])
    }
  }
  signal?.throwIfAborted()
  return { sha256: `sha256:${hash.digest('hex')}`, sizeBytes }
}

async function publish(db: Database, storageId: string, blob: StoredBlob): Promise<void> {
  await inTransaction(db, null, async (tx) => {
    const upload = await tx.query('delete from blob_uploads where storage_id = $1 returning 1', [storageId])
    if (upload.length === 0) throw new DomainError('store_unavailable', 'the upload took too long and was collected')
    const published = await tx.query(
      `insert into blobs (sha256, storage_id, size_bytes, created_at) values ($1, $2, $3, now())
       on conflict (sha256) do nothing returning 1`,
      [blob.sha256, storageId, blob.sizeBytes],
    )
    if (published.length === 0) await tx.query('delete from blob_chunks where storage_id = $1', [storageId])
  })
}

/** Clears up after a failed upload, unless it was published after all: a lost commit may have gone through. */
async function discard(db: Database, storageId: string): Promise<void> {
  await db.query('delete from blob_uploads where storage_id = $1', [storageId])
  await db.query(
    `delete from blob_chunks where storage_id = $1 and not exists (select 1 from blobs where storage_id = $1)`,
    [storageId],
  )
}
