import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { sweepInBatches } from '../../kernel/tables/sweep-in-batches.ts'

/** Removes events older than a time; returns how many. Their receipts stay verifiable. */
export async function collectControlEvents(
  db: Database,
  input: { readonly receivedBefore: Date },
  signal: AbortSignal,
): Promise<number> {
  return await sweepInBatches(
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
