import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'
import { sweepInBatches } from '../../kernel/tables/sweep-in-batches.ts'

/**
 * Removes old events of the payment processor: it delivers none again after a few days. Events never matched to a
 * tenant are removed as well. Returns how many.
 */
export async function collectPaymentEvents(
  db: Database,
  input: { readonly receivedBefore: Date },
  signal?: AbortSignal,
): Promise<number> {
  return await sweepInBatches(
    signal,
    async (most) =>
      await service.send(db, 'removes the old payment events of all tenants', (q) =>
        q
          .deleteFrom('payment_events')
          .where('id', 'in', (of) =>
            of
              .selectFrom('payment_events')
              .select('id')
              .where('received_at', '<', input.receivedBefore)
              .orderBy('received_at')
              .limit(most),
          )
          .returning('id'),
      ),
  )
}
