import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Database } from '../database.ts'
import { prepared } from '../queries/compiled.ts'
import { rowInsert } from '../queries/typed.ts'
import { service } from '../queries/service.ts'
import { enterTenant, leaveTenant, type Transaction } from '../transaction.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { chunked } from './chunks.ts'
import type { StoredBlob } from './read-blob.ts'

/** Limits of an upload. */
export interface UploadBounds {
  /** Throws `payload_too_large` beyond it. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

/** Stored bytes that are not visible yet. */
export interface StagedBlob extends StoredBlob {
  readonly storageId: string
  /** True when equal bytes existed, so that none were written. */
  readonly isKnown: boolean
}

/** Retention of an unreferenced blob: time for its caller to insert the row that refers to it. SQL interval. */
export const GRACE = sql`interval '1 hour'`

const NOW = sql<Date>`now()`
const WHY = 'blobs and their chunks belong to no tenant'

/** Interval at which an upload under way renews itself, milliseconds. */
const TOUCH_MS = 20_000

const keep = prepared((q, { sha256 }: { readonly sha256: Sha256 }) =>
  q
    .updateTable('blobs')
    .set({ review_at: sql<Date>`greatest(review_at, now() + ${GRACE})`, kept_at: NOW })
    .where('sha256', '=', sha256)
    .returning('sha256'),
)

/** Postpones the collection of a blob; returns false when it does not exist. */
export async function keepKnown(from: Database | Transaction, sha256: Sha256): Promise<boolean> {
  const kept = 'q' in from ? await from.send(keep({ sha256 })) : await service.send(from, WHY, () => keep({ sha256 }))
  return kept.length === 1
}

const insertChunk = rowInsert('blob_chunks', ['storage_id', 'seq', 'data'])

/**
 * Writes the chunks of an upload that has begun, in order. Throws `payload_too_large`, and the errors of the source.
 */
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
    if (sizeBytes > maxBytes) throw KERNEL_ERRORS.payload_too_large(`more than ${maxBytes} bytes`)
    hash.update(chunk)
    const row = { storage_id: storageId, seq: seq++, data: asBuffer(chunk) }
    await service.send(db, WHY, () => insertChunk(row))
    if (Date.now() - touchedAt > TOUCH_MS) {
      touchedAt = Date.now()
      await service.send(db, WHY, (q) =>
        q.updateTable('blob_uploads').set({ touched_at: NOW }).where('storage_id', '=', storageId),
      )
    }
  }
  signal?.throwIfAborted()
  return { sha256: `sha256:${hash.digest('hex')}`, sizeBytes }
}

/**
 * Writes an upload of one chunk in the transaction that begins it, unless equal bytes exist: then it returns true. The
 * transaction continues with the rows of the tenant.
 */
export async function writeChunk(
  tx: Transaction,
  { tenantId }: { readonly tenantId: string },
  chunk: { readonly storageId: string; readonly sha256: Sha256; readonly bytes: Uint8Array },
): Promise<boolean> {
  leaveTenant(tx)
  const isKnown = await keepKnown(tx, chunk.sha256)
  if (!isKnown) tx.post(insertChunk({ storage_id: chunk.storageId, seq: 0, data: asBuffer(chunk.bytes) }))
  enterTenant(tx, { tenantId, bounds: tx.bounds })
  return isKnown
}

/** Returns the same bytes in the driver's type. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

const closeUpload = prepared((q, { storageId }: { readonly storageId: string }) =>
  q.deleteFrom('blob_uploads').where('storage_id', '=', storageId).returning('storage_id as storageId'),
)

const publishBlob = prepared((q, blob: StoredBlob & { readonly storageId: string }) =>
  q
    .insertInto('blobs')
    .values({
      sha256: blob.sha256,
      storage_id: blob.storageId,
      size_bytes: blob.sizeBytes,
      created_at: NOW,
      review_at: sql<Date>`now() + ${GRACE}`,
      kept_at: NOW,
    })
    .onConflict((on) =>
      on.column('sha256').doUpdateSet({
        review_at: sql<Date>`greatest(blobs.review_at, excluded.review_at)`,
        kept_at: NOW,
      }),
    )
    .returning('storage_id as storageId'),
)

/**
 * Makes an upload visible, in the transaction that inserts the row which refers to it: both or neither. The upload's
 * share of the tenant's allowance passes to that row. Throws `store_unavailable` when the upload was collected.
 */
export async function publishUpload(tx: Transaction, blob: StagedBlob): Promise<void> {
  const { storageId, sha256, sizeBytes, isKnown } = blob
  const uploads = await tx.send(closeUpload({ storageId }))
  if (uploads.length === 0 || (isKnown && !(await keepKnown(tx, sha256)))) {
    throw KERNEL_ERRORS.store_unavailable('the upload took too long and was removed; send it again')
  }
  if (isKnown) return
  const [published] = await tx.send(publishBlob({ storageId, sha256, sizeBytes }))
  if (published?.storageId !== storageId) {
    await tx.q.insertInto('blob_discards').values({ storage_id: storageId, discarded_at: NOW }).execute()
  }
}

/**
 * Removes the row of an upload that stored no blob of its own, whose bytes are in other rows now: its share of the tenant's
 * allowance passes to them.
 */
export async function passUpload(tx: Transaction, storageId: string): Promise<void> {
  await tx.send(closeUpload({ storageId }))
}

/**
 * Removes an unneeded upload, and returns its bytes to the tenant's allowance. A no-op for a published one: a commit
 * whose reply was lost may have succeeded.
 */
export async function discardUpload(db: Database, storageId: string): Promise<void> {
  await service.write(db, WHY, async (tx) => {
    const upload = await tx.q
      .deleteFrom('blob_uploads')
      .where('storage_id', '=', storageId)
      .returning(['tenant_id as tenantId', 'reserved_bytes as reservedBytes'])
      .executeTakeFirst()
    await tx.q
      .deleteFrom('blob_chunks')
      .where('storage_id', '=', storageId)
      .where((of) => of.not(of.exists(of.selectFrom('blobs').select('storage_id').where('storage_id', '=', storageId))))
      .execute()
    if (upload === undefined || upload.tenantId === null) return
    const { tenantId, reservedBytes } = upload
    await service.forTenant(tx, tenantId, async () => {
      await tx.q
        .updateTable('tenant_storage')
        .set({ used_bytes: sql<number>`greatest(used_bytes - ${reservedBytes}::bigint, 0)` })
        .where('tenant_id', '=', tenantId)
        .execute()
    })
  })
}
