import { MikroORM, type Options } from '@mikro-orm/postgresql'
import { PostgresDialect } from 'kysely'
import { MIGRATIONS_TABLE } from '../../migrations/index.ts'
import { TABLES } from '../../schema.ts'
import { createTenantFilter } from './tenant-filter.ts'

let shared: Promise<MikroORM> | undefined

/**
 * Returns the ORM of this process, for all its databases. It has no connection: the entity manager of a verb sends its
 * statements in the verb's own transaction, and one that is in none fails.
 */
export async function sharedOrm(): Promise<MikroORM> {
  shared ??= openOrm({
    dbName: 'none',
    ensureDatabase: false,
    driverOptions: () =>
      new PostgresDialect({
        pool: () => Promise.reject(new Error('an entity manager outside of a transaction')),
      }),
  })
  return await shared
}

/** Makes an ORM over all tables. It reads every column of every table, which takes a tenth of a second. */
export async function openOrm(connection: Options): Promise<MikroORM> {
  return await MikroORM.init({
    entities: TABLES,
    // Managed by the server: the comparison of schema and entities leaves it out.
    migrations: { tableName: MIGRATIONS_TABLE },
    // Functions that policies call are defined only in migrations.
    // Partitions by month come and go in a separate schema.
    schemaGenerator: { ignoreRoutines: true, ignoreSchema: ['svc_months'] },
    filters: { tenant: createTenantFilter(TABLES) },
    logger: () => {},
    ...connection,
  })
}
