import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { ensureAuditKey } from '../ledger/audit/audit-key.ts'
import type { Database } from '../kernel/database.ts'
import { explainFailure } from '../kernel/faults/failures.ts'
import { MIGRATIONS, MIGRATIONS_TABLE } from './index.ts'
import { grantToTenants } from '../kernel/tenant/tenant-grants.ts'
import { ensureTenantRole } from '../kernel/tenant/tenant-role.ts'
import { TABLES } from '../schema.ts'
import { ensureServiceKeys } from '../kernel/secrets/service-secrets.ts'

/** Names the lock under which migrations run; any fixed number does. */
const LOCK_ID = 7_237_001
const CONNECT_MS = 10_000
/** Overrides any default limits of the server. */
const UNLIMITED = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c lock_timeout=0'

/**
 * Brings the schema up to date, in one process at a time: the others wait and then find it up to date. It uses separate
 * connections, without the time limits of the pool, since a migration of large tables, and the wait for it, may take
 * minutes. Returns the names of the applied migrations. Throws `store_unavailable`.
 */
export async function migrate(db: Database): Promise<readonly string[]> {
  const lock = new pg.Client({
    connectionString: db.url,
    connectionTimeoutMillis: CONNECT_MS,
    options: UNLIMITED,
    keepAlive: true,
    application_name: 'svc migration lock',
  })
  // A lost connection fails the next query; without a listener it would end the process.
  lock.on('error', () => undefined)
  try {
    await lock.connect()
    await lock.query('select pg_advisory_lock($1)', [LOCK_ID])
    const applied = await bringSchemaUp(lock, db.url)
    await ensureAuditKey(db)
    await ensureServiceKeys(db)
    return applied
  } catch (error) {
    throw explainFailure(error)
  } finally {
    // Ending the connection releases the lock in any state.
    await lock.end().catch(() => undefined)
  }
}

/**
 * Applies the migrations that a database lacks, and gives the role of tenants its rights, without any lock; `client` is a
 * connection to the same database. Returns the names of the migrations. It writes no rows of keys.
 */
export async function bringSchemaUp(client: pg.Client, url: string): Promise<readonly string[]> {
  await ensureTenantRole(client)
  const applied = await applyMigrations(url)
  await grantToTenants(client, TABLES)
  return applied
}

async function applyMigrations(url: string): Promise<readonly string[]> {
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { migrationsList: MIGRATIONS, tableName: MIGRATIONS_TABLE, snapshot: false, transactional: true },
    pool: { min: 0, max: 2 },
    logger: () => undefined,
    driverOptions: {
      connectionTimeoutMillis: CONNECT_MS,
      options: UNLIMITED,
      keepAlive: true,
      application_name: 'svc migrations',
    },
  })
  try {
    return (await orm.migrator.up()).map(({ name }) => name)
  } finally {
    await orm.close(true)
  }
}
