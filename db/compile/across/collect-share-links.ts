import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
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
      await service.write(
        db,
        'removes the ended links of all tenants',
        async (tx) =>
          await tx.q
            .deleteFrom('share_links')
            .where('id', 'in', (q) =>
              q.selectFrom('share_links').select('id').where('expires_at', '<', input.endedBefore).limit(most),
            )
            .returning('id')
            .execute(),
      ),
  )
}
