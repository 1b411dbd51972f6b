import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery, sql, type ControlledTransaction } from 'kysely'
import type { Tables } from '../schema.ts'
import { explainFailure, isConflict } from './faults/failures.ts'
import { readerOver, type Reader } from './queries/read.ts'
import type { Queries, Statement } from './queries/typed.ts'
import { ENTER_TENANT, NAMESPACES_SETTING, namespacesText, valuesOf, type Reach } from './tenant/tenant-role.ts'

/**
 * One transaction, seen as SQL and as entities. Entities persisted through `em` reach the database on `em.flush()` and
 * at the latest before the commit.
 */
export interface Transaction extends Reader {
  readonly em: EntityManager
  /** Typed queries on the tables. */
  readonly q: Queries
  /** The namespaces that the caller's key is bound to; null for all. */
  readonly bounds: readonly string[] | null
  /** Sends a statement that was built elsewhere, such as one of `rowInsert`. */
  send(statement: Statement<object>): Promise<readonly object[]>
  /** Sends a statement as text, see `test/house/raw-statements.test.ts`. Values are bound, never pasted into the text. */
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

/** Narrows the rest of the transaction, or of its savepoint, to the rows of one tenant. */
export async function enterTenant(tx: Transaction, reach: Reach): Promise<void> {
  await tx.query(ENTER_TENANT, valuesOf(reach))
}

/** Returns the rest of the transaction to the role of the login, which sees the rows of all tenants. */
export async function leaveTenant(tx: Transaction): Promise<void> {
  await tx.query('set local role none')
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

/** Returns the transaction of an entity manager. */
export function transactionOf(
  em: EntityManager,
  afterwards: (() => Promise<void> | void)[],
  db: { announceStart(workflowId: string): void },
  reach: Reach | null = null,
): Transaction {
  const context = em.getTransactionContext<ControlledTransaction<Tables>>()
  if (context === undefined) throw new Error('not in a transaction')
  const run = async (text: string, values: readonly unknown[] = []): Promise<readonly object[]> =>
    (await context.executeQuery<object>(CompiledQuery.raw(text, [...values]))).rows
  return {
    em,
    bounds: reach?.bounds ?? null,
    q: context,
    query: run,
    send: async (statement) => {
      const { sql: text, parameters } = statement.compile(context)
      return await run(text, parameters)
    },
    ...readerOver(async ({ sql, parameters }) => await run(sql, parameters)),
    afterCommit: (work) => void afterwards.push(work),
    announceStart: (workflowId) => void afterwards.push(() => db.announceStart(workflowId)),
  }
}

/**
 * Takes a lock that ends with the transaction, named by a text. Two names may share a lock by chance (64 bits of hash):
 * that costs waiting, never correctness.
 */
export async function lockInTransaction(tx: Transaction, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
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
  await tx.em.flush()
  await setNamespaces(tx, null)
  widened.add(tx)
  try {
    const result = await work()
    await tx.em.flush()
    return result
  } finally {
    widened.delete(tx)
    // Narrow again after an error as well: its caller may go on. A transaction that a statement broke takes no other.
    await setNamespaces(tx, tx.bounds).catch(() => undefined)
  }
}

async function setNamespaces(tx: Transaction, bounds: readonly string[] | null): Promise<void> {
  await tx.q.selectNoFrom(sql`set_config(${NAMESPACES_SETTING}, ${namespacesText(bounds)}, true)`.as('set')).execute()
}
