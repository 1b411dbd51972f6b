import { createHash } from 'node:crypto'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { Database } from '../database.ts'
import { inTransaction, type Transaction } from '../transaction.ts'
import { chunked } from './chunks.ts'
import type { StoredBlob } from './read-blob.ts'

/** What an upload is held to. */
export interface UploadBounds {
  /** Throws `payload_too_large` beyond it. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

/** Bytes that lie in the store and are not visible yet. */
export interface StagedBlob extends StoredBlob {
  readonly storageId: string
  /** True when equal bytes were there already, so that none were written. */
  readonly isKnown: boolean
}

/**
 * How long a blob is kept that nothing refers to yet: time for its caller to insert the row that does. SQL interval.
 */
const GRACE = "interval '1 hour'"

/** How often an upload under way shows that it is alive, milliseconds. */
const TOUCH_MS = 20_000

/** Puts off the collection of a blob that is there; false when there is none. */
export async function keepKnown(db: Pick<Database, 'query'>, sha256: string): Promise<boolean> {
  const kept = await db.query(
    `update blobs set review_at = greatest(review_at, now() + ${GRACE}), kept_at = now() where sha256 = $1 returning 1`,
    [sha256],
  )
  return kept.length === 1
}

/** Writes the chunks of an upload that has begun, in order. Throws `payload_too_large`, and what the source throws. */
export async function writeChunks(
  db: Database,
  storageId: string,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  { maxBytes = Number.POSITIVE_INFINITY, signal }: UploadBounds,
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

/**
 * Makes an upload visible, in the transaction that inserts the row which refers to it: both or neither. What the tenant's
 * allowance held for it is from then on held by that row. Throws `store_unavailable` when the upload was collected.
 */
export async function publishUpload(tx: Pick<Transaction, 'query'>, blob: StagedBlob): Promise<void> {
  const { storageId, sha256, sizeBytes, isKnown } = blob
  const upload = await tx.query('delete from blob_uploads where storage_id = $1 returning 1', [storageId])
  if (upload.length === 0 || (isKnown && !(await keepKnown(tx, sha256)))) {
    throw new DomainError('store_unavailable', 'the upload took too long and was collected; send it again')
  }
  if (isKnown) return
  const [published] = await tx.query<{ storageId: string }>(
    `insert into blobs as b (sha256, storage_id, size_bytes, created_at, review_at, kept_at)
     values ($1, $2, $3, now(), now() + ${GRACE}, now())
     on conflict (sha256) do update set review_at = greatest(b.review_at, excluded.review_at), kept_at = now()
     returning storage_id as "storageId"`,
    [sha256, storageId, sizeBytes],
  )
  if (published?.storageId !== storageId) {
    await tx.query('insert into blob_discards (storage_id, discarded_at) values ($1, now())', [storageId])
  }
}

/**
 * Removes an upload that is not wanted, and gives its bytes back to the tenant's allowance. A no-op for one that was
 * published: a lost commit may have gone through.
 */
export async function discardUpload(db: Database, storageId: string): Promise<void> {
  await inTransaction(db, null, async (tx) => {
    const [upload] = await tx.query<{ tenantId: string | null; reservedBytes: number }>(
      `delete from blob_uploads where storage_id = $1
       returning tenant_id as "tenantId", reserved_bytes as "reservedBytes"`,
      [storageId],
    )
    await tx.query(
      `delete from blob_chunks where storage_id = $1 and not exists (select 1 from blobs where storage_id = $1)`,
      [storageId],
    )
    if (upload !== undefined && upload.tenantId !== null) {
      await tx.query(
        `update tenant_storage set used_bytes = greatest(used_bytes - $2::bigint, 0) where tenant_id = $1`,
        [upload.tenantId, upload.reservedBytes],
      )
    }
  })
}
