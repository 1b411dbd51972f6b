import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { removeInBatches } from '../../kernel/tables/remove-in-batches.ts'

/** Removes events that came before a time; answers how many. Their receipts go on verifying. */
export async function collectControlEvents(
  db: Database,
  input: { readonly receivedBefore: Date },
  signal: AbortSignal,
): Promise<number> {
  return await removeInBatches(
    signal,
    async (most) =>
      await service.send(db, 'removes the old events of all tenants', (q) =>
        q
          .deleteFrom('control_events')
          .where('id', 'in', (of) =>
            of.selectFrom('control_events').select('id').where('at', '<', input.receivedBefore).limit(most),
          )
          .returning('id'),
      ),
  )
}
