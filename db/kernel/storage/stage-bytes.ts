import { randomUUID } from 'node:crypto'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import { discardUpload, keepKnown, writeChunks, type StagedBlob } from '../blobs/uploads.ts'
import type { Operation } from '../operation.ts'
import { reserveBytes } from './allowance.ts'

/** Bytes of a caller whose digest and size are known before any of them is stored. */
export interface CallerBytes {
  readonly sha256: Sha256
  readonly sizeBytes: number
  read(): Uint8Array | AsyncIterable<Uint8Array>
}

/**
 * Stores bytes of a caller, invisible at first: the tenant's allowance is settled before the first of them, and the row
 * that refers to them publishes them (`publishUpload`). Existing bytes are not written again, and still count. Discard
 * unpublished uploads; after a crash `collectStaleUploads` does. Throws `storage_allowance_used`, and `storage_full`
 * when the database's disk is.
 */
export async function stageBytes(op: Operation, bytes: CallerBytes, limits: Limits): Promise<StagedBlob> {
  const { db } = op
  const { sha256, sizeBytes } = bytes
  const storageId = randomUUID()
  await op.write(async (tx) => await reserveBytes(tx, op, { storageId, bytes: sizeBytes, limits }))
  try {
    if (await keepKnown(db, sha256)) return { storageId, sha256, sizeBytes, isKnown: true }
    const written = await writeChunks(db, storageId, bytes.read(), { maxBytes: sizeBytes })
    if (written.sha256 !== sha256) throw new Error('the bytes changed while they were stored')
    return { storageId, ...written, isKnown: false }
  } catch (error) {
    await discardUpload(db, storageId).catch(() => {})
    throw error
  }
}
