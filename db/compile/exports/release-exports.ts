import type { Database } from '../../kernel/database.ts'

/** Rows that one call releases. */
const BATCH = 1000

/** Lets go of the files of exports whose time is over; the blobs are collected afterwards. Answers how many. */
export async function releaseExports(db: Database, now: Date): Promise<number> {
  const released = await db.query(
    `update exports set result_sha256 = null
     where id in (
       select id from exports where result_sha256 is not null and expires_at <= $1 order by expires_at limit $2
       for update skip locked
     ) returning 1`,
    [now, BATCH],
  )
  return released.length
}
