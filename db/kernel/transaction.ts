import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery, type ControlledTransaction } from 'kysely'
import type { Tables } from '../schema.ts'
import type { Database } from './database.ts'
import { explainFailure, isConflict } from './faults/failures.ts'
import { readerOver, type Reader } from './queries/read.ts'
import type { Queries } from './queries/typed.ts'
import { beginForTenant } from './tenant/begin-for-tenant.ts'
import { ENTER_TENANT } from './tenant/tenant-role.ts'

/**
 * One transaction, seen as SQL and as entities. What was persisted through `em` reaches the database on
 * `em.flush()` and at the latest before the commit.
 */
export interface Transaction extends Reader {
  readonly em: EntityManager
  /** Typed queries on the tables. */
  readonly q: Queries
  /** Sends a statement as text, see `test/house/raw-statements.test.ts`. Values are bound, never pasted into the text. */
  query(text: string, values?: readonly unknown[]): Promise<readonly object[]>
  /**
   * Runs `work` when the transaction has been committed, and not at all when it is rolled back. Whoever waits for the
   * transaction waits for it too, but does not hear of its failure: what must not be lost stands in a row.
   */
  afterCommit(work: () => Promise<void> | void): void
  /** Calls the handlers of `Database.onStart` with the id of a workflow after the commit. */
  announceStart(workflowId: string): void
}

/** How often a work that met a conflict is done over. */
const ATTEMPTS = 4

/**
 * Runs `work` in one transaction (read committed) and commits it; on the view of a claimed call it becomes part of the
 * transaction that keeps the answer, and is committed with it. A deadlock or serialization failure repeats the
 * whole work, so it must do nothing outside the transaction but in `afterCommit`. With a tenant, every statement sees that
 * tenant's rows only, by the policies of the tables.
 */
export async function inTransaction<T>(
  db: Database,
  tenantId: string | null,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  if (db.enclosing !== undefined) return await db.enclosing.run(tenantId, work)
  for (let attempt = 1; ; attempt++) {
    const em = db.orm.em.fork()
    const afterwards: (() => Promise<void> | void)[] = []
    try {
      await begin(em, tenantId)
      const result = await work(transactionOf(em, afterwards, db))
      await em.commit()
      await runAfterwards(db, afterwards)
      return result
    } catch (error) {
      // The connection may be lost, and `error` says why the transaction failed in the first place.
      if (em.isInTransaction()) await em.rollback().catch(() => undefined)
      await beforeNextAttempt(error, attempt)
    }
  }
}

async function begin(em: EntityManager, tenantId: string | null): Promise<void> {
  if (tenantId === null) return await em.begin()
  em.setFilterParams('tenant', { tenantId })
  await beginForTenant(em, tenantId)
}

/** Lets the rest of the transaction, or of the savepoint it stands in, see the rows of one tenant only. */
export async function enterTenant(tx: Transaction, tenantId: string): Promise<void> {
  await tx.query(ENTER_TENANT, [tenantId])
}

/** Gives the rest of the transaction the role of the login again, which sees the rows of all tenants. */
export async function leaveTenant(tx: Transaction): Promise<void> {
  await tx.query('set local role none')
}

/** Waits a moment after a conflict. Throws every other failure, and that of the last attempt. */
export async function beforeNextAttempt(error: unknown, attempt: number): Promise<void> {
  if (!isConflict(error) || attempt === ATTEMPTS) throw explainFailure(error)
  await sleep(5 * attempt + Math.random() * 20)
}

/** Never rejects: the commit stands, whatever fails here. */
export async function runAfterwards(db: Database, afterwards: readonly (() => Promise<void> | void)[]): Promise<void> {
  for (const work of afterwards) {
    try {
      await work()
    } catch (error) {
      db.warn(`after a commit: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

/** The transaction that an entity manager is in. */
export function transactionOf(
  em: EntityManager,
  afterwards: (() => Promise<void> | void)[],
  db: Pick<Database, 'announceStart'>,
): Transaction {
  const context = em.getTransactionContext<ControlledTransaction<Tables>>()
  if (context === undefined) throw new Error('not in a transaction')
  const run = async (text: string, values: readonly unknown[] = []): Promise<readonly object[]> =>
    (await context.executeQuery<object>(CompiledQuery.raw(text, [...values]))).rows
  return {
    em,
    q: context,
    query: run,
    ...readerOver(async ({ sql, parameters }) => await run(sql, parameters)),
    afterCommit: (work) => void afterwards.push(work),
    announceStart: (workflowId) => void afterwards.push(() => db.announceStart(workflowId)),
  }
}

/**
 * Takes a lock that ends with the transaction, named by a text. Two names may share a lock by chance (64 bits of
 * hash): that costs waiting, never correctness.
 */
export async function lockInTransaction(tx: Transaction, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
}
