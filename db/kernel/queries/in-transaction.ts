import type { EntityManager } from '@mikro-orm/postgresql'
import type { Database } from '../database.ts'
import { beginForTenant } from '../tenant/begin-for-tenant.ts'
import type { Reach } from '../tenant/tenant-role.ts'
import { beforeNextAttempt, runAfterwards, transactionOf, type Transaction } from '../transaction.ts'

/**
 * Runs `work` in one transaction (read committed) and commits it; on the view of a claimed call it becomes part of the
 * transaction that stores the answer, and is committed with it. A deadlock or serialization failure repeats the whole
 * work, so its only effects outside the transaction must be in `afterCommit`. With a reach, every statement sees the
 * rows of its tenant and namespaces only, by the policies of the tables.
 */
export async function inTransaction<T>(
  db: Database,
  reach: Reach | null,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  if (db.enclosing !== undefined) return await db.enclosing.run(reach, work)
  for (let attempt = 1; ; attempt++) {
    const em = db.orm.em.fork()
    const afterwards: (() => Promise<void> | void)[] = []
    try {
      await begin(em, reach)
      const result = await work(transactionOf(em, afterwards, db, reach))
      await em.commit()
      await runAfterwards(db, afterwards)
      return result
    } catch (error) {
      // The connection may be lost, and `error` holds the original cause.
      if (em.isInTransaction()) await em.rollback().catch(() => undefined)
      await beforeNextAttempt(error, attempt)
    }
  }
}

async function begin(em: EntityManager, reach: Reach | null): Promise<void> {
  if (reach === null) return await em.begin()
  em.setFilterParams('tenant', { tenantId: reach.tenantId })
  await beginForTenant(em, reach)
}
