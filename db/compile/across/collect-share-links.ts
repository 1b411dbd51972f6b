import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { sweepInBatches } from '../../kernel/tables/sweep-in-batches.ts'

/** Removes links that ended before a time; returns how many. */
export async function collectShareLinks(
  db: Database,
  input: { readonly endedBefore: Date },
  signal: AbortSignal,
): Promise<number> {
  return await sweepInBatches(
    signal,
    async (most) =>
      await service.send(db, 'removes the ended links of all tenants', (q) =>
        q
          .deleteFrom('share_links')
          .where('id', 'in', (of) =>
            of.selectFrom('share_links').select('id').where('expires_at', '<', input.endedBefore).limit(most),
          )
          .returning('id'),
      ),
  )
}
