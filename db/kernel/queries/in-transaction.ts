import type { Database } from '../database.ts'
import type { Reach } from '../tenant/tenant-role.ts'
import { beforeNextAttempt, runAfterwards, transactionOf, type Transaction } from '../transaction.ts'
import { openSession, type Session } from './session.ts'

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
    const afterwards: (() => Promise<void> | void)[] = []
    let session: Session | undefined
    try {
      session = await openSession(db.pool, reach)
      const tx = transactionOf(session, afterwards, db, reach)
      const result = await work(tx)
      await tx.flush()
      await session.commit()
      await runAfterwards(db, afterwards)
      return result
    } catch (error) {
      await session?.rollback()
      await beforeNextAttempt(error, attempt)
    }
  }
}
