import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/** Rows that one call releases. */
const BATCH = 1000

/** Releases the files of expired exports; the blobs are collected afterwards. Returns how many. */
export async function releaseExports(db: Database, now: Date): Promise<number> {
  const released = await service.write(
    db,
    'releases the files of all tenants whose time is over',
    async (tx) =>
      await tx.q
        .updateTable('exports')
        .set({ result_sha256: null })
        .where('id', 'in', (q) =>
          q
            .selectFrom('exports')
            .select('id')
            .where('result_sha256', 'is not', null)
            .where('expires_at', '<=', now)
            .orderBy('expires_at')
            .limit(BATCH)
            .forUpdate()
            .skipLocked(),
        )
        .returning('id')
        .execute(),
  )
  return released.length
}
