import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { explainFailure, isConflict } from './faults/failures.ts'
import { readerOver, type Reader } from './queries/read.ts'
import type { Session } from './queries/session.ts'
import { raw, type Queries, type Statement } from './queries/typed.ts'
import { enterAs, NAMESPACES_SETTING, namespacesText, type Reach } from './tenant/tenant-role.ts'

/**
 * One transaction, seen as SQL and as entities. Entities persisted through `em` reach the database on `flush()` and
 * at the latest before the commit.
 */
export interface Transaction extends Reader {
  /** Made at its first use: most transactions need queries only. It streams no rows and opens no transaction inside. */
  readonly em: EntityManager
  /** Writes the persisted entities. */
  flush(): Promise<void>
  /** Typed queries on the tables. */
  readonly q: Queries
  /** The namespaces that the caller's key is bound to; null for all. */
  readonly bounds: readonly string[] | null
  /** Sends a statement that was built elsewhere, such as one of `prepared`, and returns its rows. */
  send<Row>(statement: Statement<Row>): Promise<readonly Row[]>
  /**
   * Sends a statement together with the next one or with the commit, which throws its failure: for writes whose outcome
   * the transaction does not look at.
   */
  post(statement: Statement<unknown>): void
  /** Sends a statement as text, see `test/house/statements/raw.test.ts`. Values are bound, never pasted into the text. */
  query(text: string, values?: readonly unknown[]): Promise<readonly object[]>
  /**
   * Runs `work` after the commit of the transaction, and not after a rollback. Callers that wait for the transaction
   * wait for it too, but get no error from it: work that must not be lost needs a row.
   */
  afterCommit(work: () => Promise<void> | void): void
  /** Calls the handlers of `Database.onStart` with the id of a workflow after the commit. */
  announceStart(workflowId: string): void
}

/** Maximum number of repetitions after a conflict. */
const ATTEMPTS = 4

/** Narrows the rest of the transaction, or of its savepoint, to the rows of one tenant; goes with the next statement. */
export function enterTenant(tx: Transaction, reach: Reach): void {
  const { text, values } = enterAs(reach)
  tx.post(raw(text, values))
}

/**
 * Returns the rest of the transaction to the role of the login, which sees the rows of all tenants; goes with the next
 * statement.
 */
export function leaveTenant(tx: Transaction): void {
  tx.post(raw('set local role none'))
}

/** Waits a moment after a conflict. Rethrows any other failure, and that of the last attempt. */
export async function beforeNextAttempt(error: unknown, attempt: number): Promise<void> {
  if (!isConflict(error) || attempt === ATTEMPTS) throw explainFailure(error)
  await sleep(5 * attempt + Math.random() * 20)
}

/** Never rejects: the commit stands, even if the callbacks fail. */
export async function runAfterwards(
  db: { warn(message: string): void },
  afterwards: readonly (() => Promise<void> | void)[],
): Promise<void> {
  for (const work of afterwards) {
    try {
      await work()
    } catch (error) {
      db.warn(`after a commit: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

/** Returns the view of an open transaction that verbs work with, for the rows of a reach. */
export function transactionOf(
  session: Session,
  afterwards: (() => Promise<void> | void)[],
  db: { readonly orm: MikroORM; announceStart(workflowId: string): void },
  reach: Reach | null = null,
): Transaction {
  let em: EntityManager | undefined
  const run = async (text: string, values: readonly unknown[] = []): Promise<readonly object[]> =>
    (await session.run(text, values)).rows ?? []
  return {
    get em() {
      em ??= entityManagerOf(session, db, reach)
      return em
    },
    flush: async () => await em?.flush(),
    bounds: reach?.bounds ?? null,
    q: session.queries,
    query: run,
    send: async <Row>(statement: Statement<Row>) => {
      const { sql: text, parameters } = statement.compile(session.queries)
      return (await run(text, parameters)) as readonly Row[]
    },
    post: (statement) => {
      const { sql: text, parameters } = statement.compile(session.queries)
      session.post(text, parameters)
    },
    ...readerOver(async ({ sql: text, parameters }) => await run(text, parameters)),
    afterCommit: (work) => void afterwards.push(work),
    announceStart: (workflowId) => void afterwards.push(() => db.announceStart(workflowId)),
  }
}

function entityManagerOf(session: Session, { orm }: { readonly orm: MikroORM }, reach: Reach | null): EntityManager {
  const em = orm.em.fork()
  em.setTransactionContext(session.queries)
  if (reach !== null) em.setFilterParams('tenant', { tenantId: reach.tenantId })
  return em
}

/**
 * Takes a lock that ends with the transaction, named by a text. Two names may share a lock by chance (64 bits of hash):
 * that costs waiting, never correctness.
 */
export async function lockInTransaction(tx: Transaction, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
}

/** Takes the same lock together with others that share it; those who take it for themselves wait for all of them. */
export async function shareInTransaction(tx: Transaction, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [name])
}

/** Transactions in which `inAllNamespaces` runs. */
const widened = new WeakSet<Transaction>()

/**
 * Runs `work` on the tenant's rows of all namespaces, whatever namespaces the caller's key is bound to: for limits and
 * accounts of the whole tenant. `why` states the reason for the reader.
 */
export async function inAllNamespaces<T>(tx: Transaction, why: string, work: () => Promise<T>): Promise<T> {
  if (why === '') throw new Error('a statement on the rows of all namespaces without a reason')
  if (tx.bounds === null || widened.has(tx)) return await work()
  // Pending changes of the entity manager are written within the bounds.
  await tx.flush()
  await setNamespaces(tx, null)
  widened.add(tx)
  try {
    const result = await work()
    await tx.flush()
    await setNamespaces(tx, tx.bounds)
    return result
  } catch (error) {
    // Narrow again after an error as well: its caller may continue. A transaction that a statement broke takes no other.
    await setNamespaces(tx, tx.bounds).catch(() => undefined)
    throw error
  } finally {
    widened.delete(tx)
  }
}

async function setNamespaces(tx: Transaction, bounds: readonly string[] | null): Promise<void> {
  await tx.q.selectNoFrom(sql`set_config(${NAMESPACES_SETTING}, ${namespacesText(bounds)}, true)`.as('set')).execute()
}
