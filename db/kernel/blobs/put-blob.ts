import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Database } from '../database.ts'
import { service } from '../queries/service.ts'
import type { StoredBlob } from './read-blob.ts'
import { discardUpload, keepKnown, publishUpload, writeChunks, type UploadBounds } from './uploads.ts'

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
