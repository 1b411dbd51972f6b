import { createHash, randomUUID } from 'node:crypto'
import { DomainError } from '../../core/errors.ts'
import type { Sha256 } from '../../core/json.ts'
import type { Database } from '../database.ts'
import { inTransaction } from '../transaction.ts'
import { chunked } from './chunks.ts'
import type { StoredBlob } from './read-blob.ts'

/** What an upload is held to. */
export interface PutBlobOptions {
  /** Throws `payload_too_large` beyond it. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

/**
 * How long a blob is kept that nothing refers to yet: time for its caller to insert the row that does. SQL interval.
 */
const GRACE = "interval '1 hour'"

/** How often an upload under way shows that it is alive, milliseconds. */
const TOUCH_MS = 60_000

/**
 * Stores bytes under their SHA-256 digest and answers it; bytes that are there already are stored once. Insert the row that
 * refers to it within the hour, or it is collected. Memory stays bounded by a few chunks. Nothing is visible before all of it is: the chunks lie under an id of their own until one
 * row publishes them. When it fails half-way it clears up; what a crash leaves behind, `collectStaleUploads` finds.
 */
export async function putBlob(
  db: Database,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  options: PutBlobOptions = {},
): Promise<StoredBlob> {
  if (source instanceof Uint8Array) {
    const sha256: Sha256 = `sha256:${createHash('sha256').update(source).digest('hex')}`
    if (await keepKnown(db, sha256)) return { sha256, sizeBytes: source.length }
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

/** Puts off the collection of a blob that is there; false when there is none. */
async function keepKnown(db: Database, sha256: Sha256): Promise<boolean> {
  const kept = await db.query(
    `update blobs set review_at = greatest(review_at, now() + ${GRACE}) where sha256 = $1 returning 1`,
    [sha256],
  )
  return kept.length === 1
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
    const [published] = await tx.query<{ storageId: string }>(
      `insert into blobs as b (sha256, storage_id, size_bytes, created_at, review_at)
       values ($1, $2, $3, now(), now() + ${GRACE})
       on conflict (sha256) do update set review_at = greatest(b.review_at, excluded.review_at)
       returning storage_id as "storageId"`,
      [blob.sha256, storageId, blob.sizeBytes],
    )
    if (published?.storageId !== storageId) {
      await tx.query('insert into blob_discards (storage_id, discarded_at) values ($1, now())', [storageId])
    }
  })
}

/** Clears up after a failed upload, unless it was published after all: a lost commit may have gone through. */
async function discard(db: Database, storageId: string): Promise<void> {
  await inTransaction(db, null, async (tx) => {
    await tx.query('delete from blob_uploads where storage_id = $1', [storageId])
    await tx.query(
      `delete from blob_chunks where storage_id = $1 and not exists (select 1 from blobs where storage_id = $1)`,
      [storageId],
    )
  })
}
