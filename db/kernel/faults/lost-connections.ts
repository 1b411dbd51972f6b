import type pg from 'pg'

/** Time for the regular release of a connection that ended, milliseconds. */
const GRACE_MS = 1000

/**
 * Returns the pool places of connections lost during a transaction. Kysely releases the connection of a transaction
 * only after a successful `begin`, `commit` or `rollback`, which cannot happen on a lost connection: each outage would
 * leave the pool with fewer places, finally with none.
 */
export function freeLostConnections(pool: pg.Pool): void {
  const held = new WeakSet<pg.PoolClient>()
  pool.on('acquire', (client) => held.add(client))
  pool.on('release', (_error, client) => held.delete(client))
  pool.on('connect', (client) => {
    client.once('end', () => {
      setTimeout(() => {
        if (held.has(client)) client.release(true)
      }, GRACE_MS).unref()
    })
  })
}
