import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { service } from '../queries/service.ts'
import { CHUNK_BYTES } from './chunks.ts'

/** Chunks that one transaction removes: a quarter of a gigabyte. */
const CHUNKS_AT_ONCE = (256 * 1024 * 1024) / CHUNK_BYTES
/** Number of transactions in one call. */
const MOST_TRANSACTIONS = 80

/**
 * Removes discarded chunks, a bounded number at a time and the oldest first; the next call does the rest. An aborted
 * `signal` ends it between two transactions. Returns the number of chunks. They have no readers or writers left, so it
 * may stop anywhere.
 */
export async function removeDiscardedChunks(db: Database, signal?: AbortSignal): Promise<number> {
  let chunks = 0
  for (let turn = 0; turn < MOST_TRANSACTIONS && signal?.aborted !== true; turn++) {
    const removed = await removeSome(db)
    if (removed === null) break
    chunks += removed
  }
  return chunks
}

async function removeSome(db: Database): Promise<number | null> {
  return await service.write(db, 'discarded chunks belong to no tenant', async (tx) => {
    const discards = await tx.q
      .selectFrom('blob_discards')
      .select('storage_id as storageId')
      .orderBy('discarded_at')
      .limit(100)
      .forUpdate()
      .skipLocked()
      .execute()
    if (discards.length === 0) return null
    const storageIds = discards.map(({ storageId }) => storageId)
    const { numDeletedRows } = await tx.q
      .deleteFrom('blob_chunks')
      .where((of) =>
        of(
          of.refTuple('storage_id', 'seq'),
          'in',
          of
            .selectFrom('blob_chunks')
            .select(['storage_id', 'seq'])
            .where(sql<boolean>`storage_id = any(${storageIds})`)
            .limit(CHUNKS_AT_ONCE)
            .$asTuple('storage_id', 'seq'),
        ),
      )
      .executeTakeFirst()
    if (numDeletedRows < CHUNKS_AT_ONCE) {
      await tx.q
        .deleteFrom('blob_discards')
        .where(sql<boolean>`storage_id = any(${storageIds})`)
        .execute()
    }
    return Number(numDeletedRows)
  })
}
