import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'
import { sweepInBatches } from '../../../kernel/tables/sweep-in-batches.ts'

/** Rows that one statement releases. */
const BATCH = 1000

/** Releases the files of expired exports; the blobs are collected afterwards. Returns how many. */
export async function releaseExports(db: Database, now: Date, signal?: AbortSignal): Promise<number> {
  return await sweepInBatches(
    signal,
    async (most) =>
      await service.send(db, 'releases the files of all tenants whose time is over', (q) =>
        q
          .updateTable('exports')
          .set({ result_sha256: null })
          .where('id', 'in', (from) =>
            from
              .selectFrom('exports')
              .select('id')
              .where('result_sha256', 'is not', null)
              .where('expires_at', '<=', now)
              .orderBy('expires_at')
              .limit(most)
              .forUpdate()
              .skipLocked(),
          )
          .returning('id'),
      ),
    BATCH,
  )
}
