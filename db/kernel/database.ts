import type { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { columnTypes } from './tables/column-types.ts'
import { explainFailure } from './faults/failures.ts'
import { createHashSlots, type HashSlots } from '../../core/kernel/threads/fair/hash-slots.ts'
import { createCores, type Cores } from '../../core/kernel/threads/cores.ts'
import { createSecretBox, type SecretBox } from './secrets/secret-box.ts'
import { STATEMENT_LIMITS } from './faults/statement-limits.ts'
import { sharedOrm } from './tables/orm.ts'
import type { Reach } from './tenant/tenant-role.ts'
import type { Transaction } from './transaction.ts'

/**
 * The open database: its connection pool, the ORM, and the sealing of secrets at rest. Statements go through `op.read`,
 * `op.write` and `service`.
 */
export interface Database {
  /** Runs on the transactions of verbs alone; all databases of a process share it. */
  readonly orm: MikroORM
  readonly pool: pg.Pool
  readonly secrets: SecretBox
  /** Bounds the hashing of keys in this process. */
  readonly hashSlots: HashSlots
  /** The cores of this process, for threads that work on what the database holds. */
  readonly cores: Cores
  /** The address that was opened, for threads with their own connection. It holds a password. */
  readonly url: string
  /** Reports a failure to the operator that reaches no caller. */
  warn(message: string): void
  /** Calls `handler` with the id of each workflow that a committed transaction requested. Returns an unsubscribe function. */
  onStart(handler: (workflowId: string) => void): () => void
  /** Calls the handlers of `onStart`. */
  announceStart(workflowId: string): void
  /**
   * Set on the view that a claimed call works on: its transactions are parts of this one, see
   * `idempotency/enclosing-transaction.ts`.
   */
  readonly enclosing?: EnclosingTransaction
  /** Adds work that `close` does before it closes the pool. */
  onClose(work: () => Promise<void>): void
  close(): Promise<void>
}

/** One transaction around all the work of a call, begun by its first verb that opens one. */
export interface EnclosingTransaction {
  /** The database without it. */
  readonly root: Database
  /** True from the first verb that opened a transaction on: reads must see its work. */
  readonly hasBegun: boolean
  /** Runs a verb's work as a part of the transaction: a failed part is rolled back alone. */
  run<T>(reach: Reach | null, work: (tx: Transaction) => Promise<T>): Promise<T>
}

/**
 * Returns the database behind a view: for objects that outlive one call, and writes that must be committed separately.
 */
export function rootOf(db: Database): Database {
  return db.enclosing?.root ?? db
}

/** Settings of the database connection. */
export interface DatabaseOptions {
  readonly url: string
  /** Maximum number of connections of this process. */
  readonly poolSize: number
  /** 32 bytes; seals secrets at rest. */
  readonly masterKey: Uint8Array
  /** Former master keys; they open older seals and seal nothing. */
  readonly oldMasterKeys?: readonly Uint8Array[]
  /** The budget of cores of the process; one of all cores when absent. */
  readonly cores?: Cores
  readonly log?: (message: string) => void
}

/**
 * Opens the pool. Does not migrate, see `migrations/migrate.ts`. Throws `store_unavailable` when the
 * server cannot be reached.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const secrets = createSecretBox(options.masterKey, options.oldMasterKeys)
  const startHandlers = new Set<(workflowId: string) => void>()
  const pool = openPool(options)
  const orm = await sharedOrm()
  try {
    await pool.query('select 1')
  } catch (error) {
    await pool.end()
    throw explainFailure(error)
  }
  const beforeClose: (() => Promise<void>)[] = []
  return {
    orm,
    pool,
    secrets,
    hashSlots: createHashSlots(),
    cores: options.cores ?? createCores(),
    url: options.url,
    warn: options.log ?? (() => {}),
    onStart(handler) {
      startHandlers.add(handler)
      return () => startHandlers.delete(handler)
    },
    announceStart(workflowId) {
      for (const handler of startHandlers) handler(workflowId)
    },
    onClose(work) {
      beforeClose.push(work)
    },
    async close() {
      for (const work of beforeClose) await work()
      await pool.end()
    },
  }
}

function openPool({ url, poolSize }: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    min: 0,
    max: poolSize,
    types: columnTypes(),
    connectionTimeoutMillis: 10_000,
    ...STATEMENT_LIMITS,
    // Independent statements go out together, see `queries/read-rows.ts`.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  // Without a listener, a connection that the server ends would end this process. The statement on it reports the loss.
  const ignore = (): void => {}
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  return pool
}

/** Makes one bounded round trip. Throws `store_unavailable` when it fails or takes longer than `timeoutMs`. */
export async function pingDatabase(db: Database, timeoutMs: number): Promise<void> {
  await within(timeoutMs, db.pool.query('select 1'))
}

/** Returns the results of queries within a time limit. Throws `store_unavailable` when they fail or take too long. */
export async function within<T>(timeoutMs: number, queries: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('Connection terminated: no answer in time')), timeoutMs)
  })
  try {
    return await Promise.race([queries, late])
  } catch (error) {
    throw explainFailure(error)
  } finally {
    clearTimeout(timer)
  }
}
