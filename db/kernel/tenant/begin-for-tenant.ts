import { AsyncLocalStorage } from 'node:async_hooks'
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  CompiledQuery,
  PostgresDialect,
  PostgresDriver,
  type DatabaseConnection,
  type Driver,
  type TransactionSettings,
} from 'kysely'
import type pg from 'pg'
import { beginAs, type Reach } from './tenant-role.ts'

interface Entry {
  readonly reach: Reach
  /** Result of the one message that begins the transaction and enters the tenant; undefined until then. */
  outcome: 'entered' | { readonly failure: unknown } | undefined
}

const entries = new AsyncLocalStorage<Entry>()

/** The ORM's connection to Postgres: one pool, with transactions that `beginForTenant` can begin in one round trip. */
export class TenantDialect extends PostgresDialect {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    super({ pool })
    this.#pool = pool
  }

  override createDriver(): Driver {
    return new TenantDriver({ pool: this.#pool })
  }
}

class TenantDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const entry = entries.getStore()
    if (entry === undefined) return await super.beginTransaction(connection, settings)
    try {
      await connection.executeQuery(CompiledQuery.raw(beginAs('begin', entry.reach)))
      entry.outcome = 'entered'
    } catch (failure) {
      // Not thrown here: Kysely would keep the connection, which only a rollback releases.
      entry.outcome = { failure }
    }
  }
}

/**
 * Begins a transaction that sees the rows of one tenant only, in one round trip. The caller rolls back the transaction
 * of `em` when this throws.
 */
export async function beginForTenant(em: EntityManager, reach: Reach): Promise<void> {
  const entry: Entry = { reach, outcome: undefined }
  await entries.run(entry, async () => await em.begin())
  if (entry.outcome === undefined) throw new Error('a transaction for a tenant has begun without the tenant')
  if (entry.outcome !== 'entered') throw entry.outcome.failure
}
