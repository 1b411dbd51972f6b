import type { Database } from '../../kernel/database.ts'

/** Rows that one call removes. */
const BATCH = 1000

/**
 * Forgets events of the payment processor that were taken in long ago: it delivers none again after a few days. Those
 * that never found out whose they are go as well. Answers how many.
 */
export async function collectPaymentEvents(db: Database, input: { readonly receivedBefore: Date }): Promise<number> {
  const removed = await db.query(
    `delete from payment_events where id in (
       select id from payment_events where received_at < $1 order by received_at limit $2
     ) returning 1`,
    [input.receivedBefore, BATCH],
  )
  return removed.length
}
