import type { Database } from '../../kernel/database.ts'

/** Removes sessions that are past their end, closed ones among them; answers how many. */
export async function collectExpiredSessions(db: Database, now: Date): Promise<number> {
  const removed = await db.query(
    'delete from sessions where id in (select id from sessions where expires_at <= $1 limit 5000) returning 1',
    [now],
  )
  return removed.length
}
