import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Database } from '../database.ts'
import { service } from '../queries/service.ts'
import type { Statement } from '../queries/typed.ts'
import type { Reach } from '../tenant/tenant-role.ts'
import { enterTenant, leaveTenant, type Transaction } from '../transaction.ts'
import type { StoredBlob } from './read-blob.ts'
import { prepared } from '../queries/compiled.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { CHUNK_BYTES } from './chunks.ts'
import { discardUpload, GRACE, keepKnown, publishUpload, writeChunks, type UploadBounds } from './uploads.ts'

const WHY = 'bytes that the service made belong to no tenant'

/**
 * Stores bytes that the service made under their SHA-256 digest and returns it; existing bytes are stored once. Insert
 * the row that refers to it within the hour, or it is collected. Memory stays bounded by a few chunks. The blob is
 * visible only when complete: the chunks are stored under a separate id until one row publishes them. A failure removes
 * them; after a crash `collectStaleUploads` does. Bytes of callers are stored by `storage/stage-bytes.ts`, which counts
 * them.
 */
export async function putBlob(
  db: Database,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  options: UploadBounds = {},
): Promise<StoredBlob> {
  if (source instanceof Uint8Array) {
    const sha256: Sha256 = `sha256:${createHash('sha256').update(source).digest('hex')}`
    if (source.length > 0 && source.length <= CHUNK_BYTES) return await putChunk(db, sha256, source, options)
    if (await keepKnown(db, sha256)) return { sha256, sizeBytes: source.length }
  }
  const storageId = randomUUID()
  await service.send(db, WHY, (q) =>
    q.insertInto('blob_uploads').values({ storage_id: storageId, touched_at: sql<Date>`now()` }),
  )
  try {
    const written = await writeChunks(db, storageId, source, options)
    await service.write(db, WHY, async (tx) => await publishUpload(tx, { ...written, storageId, isKnown: false }))
    return written
  } catch (error) {
    await discardUpload(db, storageId).catch(() => {})
    throw error
  }
}

/** Bytes that the service made, for a transaction that stores them with the row that names them. */
export interface NewBlob extends StoredBlob {
  /** Stores the bytes; null where they are stored already, because they are too many for one statement. */
  readonly insert: Statement<unknown> | null
}

/**
 * Returns bytes under their digest for `postBlobs`, which costs no round trip and no commit of its own. Bytes of more than
 * one chunk are stored at once.
 */
export async function prepareBlob(db: Database, source: Uint8Array): Promise<NewBlob> {
  if (source.length === 0 || source.length > CHUNK_BYTES) return { ...(await putBlob(db, source)), insert: null }
  const sha256: Sha256 = `sha256:${createHash('sha256').update(source).digest('hex')}`
  const data = Buffer.from(source.buffer, source.byteOffset, source.length)
  const insert = insertChunk({ sha256, storageId: randomUUID(), sizeBytes: source.length, data })
  return { sha256, sizeBytes: source.length, insert }
}

/**
 * Stores prepared bytes with the next statement of a tenant's transaction, under the role of the login. In the order of their
 * digests, so that two transactions that store the same bytes do not wait for each other.
 */
export function postBlobs(tx: Transaction, reach: Reach, blobs: readonly NewBlob[]): void {
  const inserts = blobs.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1)).flatMap(({ insert }) => insert ?? [])
  if (inserts.length === 0) return
  leaveTenant(tx)
  for (const insert of inserts) tx.post(insert)
  enterTenant(tx, reach)
}

/** Stores bytes of one chunk in one statement. */
async function putChunk(
  db: Database,
  sha256: Sha256,
  source: Uint8Array,
  { maxBytes = Number.POSITIVE_INFINITY, signal }: UploadBounds,
): Promise<StoredBlob> {
  signal?.throwIfAborted()
  const sizeBytes = source.length
  if (sizeBytes > maxBytes) throw KERNEL_ERRORS.payload_too_large(`more than ${maxBytes} bytes`)
  const data = Buffer.from(source.buffer, source.byteOffset, sizeBytes)
  await service.send(db, WHY, () => insertChunk({ sha256, storageId: randomUUID(), sizeBytes, data }))
  return { sha256, sizeBytes }
}

/** The bytes of a concurrent call that stored the same ones first are visible; these are discarded. */
const insertChunk = prepared(
  (
    q,
    blob: {
      readonly sha256: Sha256
      readonly storageId: string
      readonly sizeBytes: number
      readonly data: Buffer
    },
  ) =>
    q
      .with('kept', (of) =>
        of
          .updateTable('blobs')
          .set({ review_at: sql<Date>`greatest(review_at, now() + ${GRACE})`, kept_at: sql<Date>`now()` })
          .where('sha256', '=', blob.sha256)
          .returning('storage_id'),
      )
      .with('chunk', (of) =>
        of
          .insertInto('blob_chunks')
          .columns(['storage_id', 'seq', 'data'])
          .expression(
            of
              .selectNoFrom([
                sql<string>`${blob.storageId}::uuid`.as('storage_id'),
                sql<number>`0`.as('seq'),
                sql<Buffer>`${blob.data}::bytea`.as('data'),
              ])
              .where((is) => is.not(is.exists(is.selectFrom('kept').select('storage_id')))),
          )
          .returning('storage_id'),
      )
      .with('published', (of) =>
        of
          .insertInto('blobs')
          .columns(['sha256', 'storage_id', 'size_bytes', 'created_at', 'review_at', 'kept_at'])
          .expression((from) =>
            from
              .selectFrom('chunk')
              .select([
                sql<Sha256>`${blob.sha256}::text`.as('sha256'),
                'storage_id',
                sql<number>`${blob.sizeBytes}::bigint`.as('size_bytes'),
                sql<Date>`now()`.as('created_at'),
                sql<Date>`now() + ${GRACE}`.as('review_at'),
                sql<Date>`now()`.as('kept_at'),
              ]),
          )
          .onConflict((on) =>
            on.column('sha256').doUpdateSet({
              review_at: sql<Date>`greatest(blobs.review_at, excluded.review_at)`,
              kept_at: sql<Date>`now()`,
            }),
          )
          .returning('storage_id'),
      )
      .insertInto('blob_discards')
      .columns(['storage_id', 'discarded_at'])
      .expression((from) =>
        from
          .selectFrom(['chunk', 'published'])
          .select(['chunk.storage_id', sql<Date>`now()`.as('discarded_at')])
          .whereRef('chunk.storage_id', '<>', 'published.storage_id'),
      ),
)
