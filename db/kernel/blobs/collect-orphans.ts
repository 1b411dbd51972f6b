import { TABLES } from '../../schema.ts'
import { columnOf, type AnyTable } from '../tables/define-table.ts'
import type { Database } from '../database.ts'
import { inTransaction } from '../transaction.ts'

/** Blobs that are looked at in one transaction. */
const BATCH = 500
/** Holds for a blob `b` that no row names, by the facts of the tables. */
const UNNAMED = TABLES.flatMap(({ tableName, facts }: AnyTable) =>
  (facts.blobs ?? []).map(
    (property) => `not exists (select 1 from ${tableName} where ${columnOf(property)} = b.sha256)`,
  ),
).join(' and ')
/** Batches of one call. */
const MOST_BATCHES = 20

/**
 * Unpublishes blobs that nothing refers to and whose time of grace is over; their chunks are left to
 * `removeDiscardedChunks`. Those that something refers to are looked at again a day later. Answers how many it
 * unpublished. An aborted `signal` ends it between two batches.
 *
 * A caller that stores bytes and then inserts a row which names them is safe. Storing what is there already moves
 * `review_at` into the future, or, when this has the row, waits and stores the bytes anew. And a row that names a blob
 * takes a key-share lock on it until its commit: such a blob is skipped here, and none can come in between the look at
 * who refers to it and the deletion.
 */
export async function collectOrphanedBlobs(db: Database, now: Date, signal?: AbortSignal): Promise<number> {
  let collected = 0
  for (let batch = 0; batch < MOST_BATCHES && signal?.aborted !== true; batch++) {
    const { looked, unpublished } = await reviewBatch(db, now)
    collected += unpublished
    if (looked < BATCH) break
  }
  return collected
}

async function reviewBatch(db: Database, now: Date): Promise<{ looked: number; unpublished: number }> {
  return await inTransaction(db, null, async (tx) => {
    const due = await tx.query<{ sha256: string }>(
      'select sha256 from blobs where review_at <= $1 order by review_at limit $2 for update skip locked',
      [now, BATCH],
    )
    const digests = due.map(({ sha256 }) => sha256)
    // A statement of its own: only one that begins after the locks were got sees what others committed before.
    const orphans = await tx.query<{ storageId: string }>(
      `delete from blobs b where sha256 = any($1)
         and ${UNNAMED}
       returning storage_id as "storageId"`,
      [digests],
    )
    await tx.query(
      `insert into blob_discards (storage_id, discarded_at) select storage_id, $2 from unnest($1::uuid[]) storage_id`,
      [orphans.map(({ storageId }) => storageId), now],
    )
    await tx.query(`update blobs set review_at = $2::timestamptz + interval '1 day' where sha256 = any($1)`, [
      digests,
      now,
    ])
    return { looked: due.length, unpublished: orphans.length }
  })
}
