import type { Database } from '../../kernel/database.ts'
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
      await db.query(
        'delete from control_events where id in (select id from control_events where at < $1 limit $2) returning 1',
        [input.receivedBefore, most],
      ),
  )
}
