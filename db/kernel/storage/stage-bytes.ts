import { hash, randomUUID } from 'node:crypto'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import { CHUNK_BYTES } from '../blobs/chunks.ts'
import { discardUpload, keepKnown, writeChunk, writeChunks, type StagedBlob } from '../blobs/uploads.ts'
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
  const reservation = { storageId, bytes: sizeBytes, limits }
  const source = sizeBytes > 0 && sizeBytes <= CHUNK_BYTES ? bytes.read() : null
  if (source instanceof Uint8Array) {
    requireSame(sha256, `sha256:${hash('sha256', source)}`)
    return await op.write(async (tx) => {
      await reserveBytes(tx, op, reservation)
      const isKnown = await writeChunk(tx, op, { storageId, sha256, bytes: source })
      return { storageId, sha256, sizeBytes, isKnown }
    })
  }
  await op.write(async (tx) => await reserveBytes(tx, op, reservation))
  try {
    if (await keepKnown(db, sha256)) return { storageId, sha256, sizeBytes, isKnown: true }
    const written = await writeChunks(db, storageId, source ?? bytes.read(), { maxBytes: sizeBytes })
    requireSame(sha256, written.sha256)
    return { storageId, ...written, isKnown: false }
  } catch (error) {
    await discardUpload(db, storageId).catch(() => {})
    throw error
  }
}

function requireSame(expected: Sha256, digest: string): void {
  if (digest !== expected) throw new Error('the bytes changed while they were stored')
}
