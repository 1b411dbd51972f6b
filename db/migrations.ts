import { ensureAuditKey } from './audit/audit-key.ts'
import type { Database } from './database.ts'

/** Names the lock under which migrations run; any fixed number does. */
const LOCK_ID = 7_237_001

/**
 * Brings the schema up to date, in one process at a time: the others wait and then find nothing to do. Answers the
 * names of the migrations that it applied.
 */
export async function migrate(db: Database): Promise<readonly string[]> {
  const client = await db.pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [LOCK_ID])
    const applied = await db.orm.migrator.up()
    await ensureAuditKey(db)
    return applied.map(({ name }) => name)
  } finally {
    // Ending the connection ends the lock, whatever state it is in.
    client.release(true)
  }
}
