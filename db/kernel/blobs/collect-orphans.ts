import { sql } from 'kysely'
import { TABLES } from '../../schema.ts'
import { columnOf, type AnyTable } from '../tables/define-table.ts'
import type { Database } from '../database.ts'
import { service } from '../queries/service.ts'
import { list, unnest } from '../queries/typed.ts'

/** Blobs checked in one transaction. */
const BATCH = 500
/** Condition for a blob `b` that no row names, by the facts of the tables. */
const UNNAMED = sql.join<boolean>(
  TABLES.flatMap(({ tableName, facts }: AnyTable) =>
    (facts.blobs ?? []).map(
      (property) =>
        sql`not exists (select 1 from ${sql.table(tableName)} where ${sql.ref(columnOf(property))} = b.sha256)`,
    ),
  ),
  sql` and `,
)
/** Number of batches in one call. */
const MOST_BATCHES = 20

/**
 * Unpublishes unreferenced blobs whose grace period is over; their chunks are left to `removeDiscardedChunks`.
 * Referenced ones are reviewed again a day later. Returns how many it unpublished. An aborted `signal` ends it between
 * two batches.
 * A caller that stores bytes and then inserts a row which names them is safe. Storing existing bytes moves `review_at`
 * into the future, or, when this transaction has the row, waits and stores the bytes again. And a row that names a blob
 * takes a key-share lock on it until its commit: such a blob is skipped here, and none can appear between the check for
 * references and the deletion.
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
  return await service.write(db, 'blobs belong to no tenant', async (tx) => {
    const due = await tx.q
      .selectFrom('blobs')
      .select('sha256')
      .where('review_at', '<=', now)
      .orderBy('review_at')
      .limit(BATCH)
      .forUpdate()
      .skipLocked()
      .execute()
    const digests = due.map(({ sha256 }) => sha256)
    // A separate statement: only one that begins after the locks are held sees earlier commits of others.
    const orphans = await tx.q
      .deleteFrom('blobs as b')
      .where(sql<boolean>`sha256 = any(${digests})`)
      .where(UNNAMED)
      .returning('storage_id as storageId')
      .execute()
    const discarded = list(
      'uuid',
      orphans.map(({ storageId }) => storageId),
    )
    await tx.q
      .insertInto('blob_discards')
      .columns(['storage_id', 'discarded_at'])
      .expression((q) =>
        q
          .selectFrom(unnest('orphan', { storage_id: discarded }))
          .select((of) => ['storage_id', of.val(now).as('discarded_at')]),
      )
      .execute()
    await tx.q
      .updateTable('blobs')
      .set({ review_at: sql<Date>`${now}::timestamptz + interval '1 day'` })
      .where(sql<boolean>`sha256 = any(${digests})`)
      .execute()
    return { looked: due.length, unpublished: orphans.length }
  })
}
