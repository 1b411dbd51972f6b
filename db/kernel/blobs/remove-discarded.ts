import type { Database } from '../database.ts'
import { inTransaction } from '../transaction.ts'
import { CHUNK_BYTES } from './chunks.ts'

/** Chunks that one transaction removes: a quarter of a gigabyte. */
const CHUNKS_AT_ONCE = (256 * 1024 * 1024) / CHUNK_BYTES
/** Transactions of one call. */
const MOST_TRANSACTIONS = 80

/**
 * Removes chunks that were discarded, a bounded number at a time and the oldest first; what is left over is for the
 * next call. An aborted `signal` ends it between two transactions. Answers how many chunks it was. Nobody reads or writes them any more, so it may stop anywhere.
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
  return await inTransaction(db, null, async (tx) => {
    const discards = await tx.query<{ storageId: string }>(
      `select storage_id as "storageId" from blob_discards order by discarded_at limit 100 for update skip locked`,
    )
    if (discards.length === 0) return null
    const storageIds = discards.map(({ storageId }) => storageId)
    const chunks = await tx.query(
      `delete from blob_chunks where (storage_id, seq) in (
         select storage_id, seq from blob_chunks where storage_id = any($1) limit $2
       ) returning 1`,
      [storageIds, CHUNKS_AT_ONCE],
    )
    if (chunks.length < CHUNKS_AT_ONCE) {
      await tx.query('delete from blob_discards where storage_id = any($1)', [storageIds])
    }
    return chunks.length
  })
}
