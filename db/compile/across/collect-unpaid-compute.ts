import { computeDayOf } from '../compute/compute-day.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/** Removes the days before `before`. Returns the number of rows removed. */
export async function collectUnpaidCompute(db: Database, before: Date): Promise<number> {
  const removed = await service.send(db, 'removes the old days of all tenants', (q) =>
    q.deleteFrom('unpaid_compute').where('day', '<', computeDayOf(before)).returning('day'),
  )
  return removed.length
}
