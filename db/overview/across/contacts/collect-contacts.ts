import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'
import { removeInBatches } from '../../../kernel/tables/remove-in-batches.ts'

/** Removes contact requests that are older than a time; returns how many. */
export async function collectContacts(
  db: Database,
  input: { readonly createdBefore: Date },
  signal: AbortSignal,
): Promise<number> {
  return await removeInBatches(
    signal,
    async (most) =>
      await service.send(db, 'contacts are people without a tenant', (q) =>
        q
          .deleteFrom('contact_requests')
          .where('id', 'in', (of) =>
            of.selectFrom('contact_requests').select('id').where('created_at', '<', input.createdBefore).limit(most),
          )
          .returning('id'),
      ),
  )
}
