import type { Database } from '../../kernel/database.ts'
import { removeInBatches } from '../../kernel/tables/remove-in-batches.ts'

/** Removes links that ended before a time; answers how many. */
export async function collectShareLinks(
  db: Database,
  input: { readonly endedBefore: Date },
  signal: AbortSignal,
): Promise<number> {
  return await removeInBatches(
    signal,
    async (most) =>
      await db.query(
        'delete from share_links where id in (select id from share_links where expires_at < $1 limit $2) returning 1',
        [input.endedBefore, most],
      ),
  )
}
