import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery, type ControlledTransaction } from 'kysely'
import type { Database, SqlRunner } from './database.ts'
import { explainFailure, isConflict } from './failures.ts'

/**
 * One transaction, seen as SQL and as entities. What was persisted through `em` reaches the database on
 * `em.flush()` and at the latest before the commit.
 */
export interface Transaction extends SqlRunner {
  readonly em: EntityManager
}

const ATTEMPTS = 4

/**
 * Runs `work` in one transaction (read committed) and commits it. A deadlock or serialization failure repeats the
 * whole work, so it must do nothing outside the transaction. With a tenant, `em` sees that tenant's rows only.
 */
export async function inTransaction<T>(
  db: Database,
  tenantId: string | null,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const fork = db.fork()
    if (tenantId !== null) fork.setFilterParams('tenant', { tenantId })
    try {
      return await fork.transactional(async (em) => await work(transactionOf(em)))
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw explainFailure(error)
      await sleep(5 * attempt + Math.random() * 20)
    }
  }
}

function transactionOf(em: EntityManager): Transaction {
  const context = em.getTransactionContext<ControlledTransaction<unknown>>()
  if (context === undefined) throw new Error('not in a transaction')
  return {
    em,
    async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
      const result = await context.executeQuery<Row>(CompiledQuery.raw(text, [...values]))
      return result.rows
    },
  }
}

/**
 * Takes a lock that ends with the transaction, named by a text. Two names may share a lock by chance (64 bits of
 * hash): that costs waiting, never correctness.
 */
export async function lockInTransaction(tx: Transaction, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
}
