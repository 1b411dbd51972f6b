import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { enterTenant, leaveTenant, type Transaction } from '../transaction.ts'
import { inTransaction } from './in-transaction.ts'
import { readRows } from './read-rows.ts'
import type { Reader, Reading, RowsOf } from './read.ts'
import { BUILDER, type Queries, type Reads, type Statement } from './typed.ts'

/** A transaction that sees the rows of all tenants. It is accepted wherever a tenant's transaction is. */
export interface ServiceTransaction extends Transaction {
  readonly sees: 'all tenants'
}

/**
 * Reads and writes under the role of the login, which sees the rows of all tenants. `why` states the reason for the
 * reader. Only files of `db/<area>/across/` and of the kernel use it.
 */
export const service = {
  /** Like `op.read`, over all tenants. One query is one round trip, without a transaction. */
  async read<const R extends Reading>(db: Database, why: string, build: (q: Reads) => R): Promise<RowsOf<R>> {
    requireReason(why)
    return await readRows(db, null, build)
  },

  /** The function behind `read`, for functions that take a reader. */
  reader(db: Database, why: string): Reader {
    requireReason(why)
    return { read: async (build) => await readRows(db, null, build) }
  },

  /** Reads over all tenants within a transaction, and restores its reach afterwards. */
  async within<const R extends Reading>(tx: Transaction, why: string, build: (q: Reads) => R): Promise<RowsOf<R>> {
    requireReason(why)
    const [before] = await tx.q.selectNoFrom(sql<string>`current_setting('role')`.as('role')).execute()
    leaveTenant(tx)
    try {
      return await tx.read(build)
    } finally {
      tx.post(tx.q.selectNoFrom(sql`set_config('role', ${before?.role ?? 'none'}, true)`.as('role')))
    }
  },

  /**
   * Sends one statement that may write, over all tenants, and returns its rows: one round trip without a transaction,
   * for frequent writes. A conflict is not retried.
   */
  async send<const R extends Statement<unknown>>(
    db: Database,
    why: string,
    build: (q: Queries) => R,
  ): Promise<RowsOf<R>> {
    requireReason(why)
    return await readRows(db, null, () => build(BUILDER))
  },

  /** Like `op.write`, over all tenants. */
  async write<T>(db: Database, why: string, work: (tx: ServiceTransaction) => Promise<T>): Promise<T> {
    requireReason(why)
    return await inTransaction(db, null, async (tx) => await work(Object.assign(tx, { sees: 'all tenants' } as const)))
  },

  /**
   * Runs the part of such a transaction that acts for one tenant: `work` reaches the rows of that tenant only, and what
   * follows sees all again. When `work` throws, roll the transaction back: its statements stay bound to the tenant.
   */
  async forTenant<T>(tx: ServiceTransaction, tenantId: string, work: () => Promise<T>): Promise<T> {
    await tx.flush()
    tx.em.setFilterParams('tenant', { tenantId })
    enterTenant(tx, { tenantId, bounds: null })
    const result = await work()
    await tx.flush()
    leaveTenant(tx)
    return result
  },
} as const

function requireReason(why: string): void {
  if (why === '') throw new Error('a statement on the rows of all tenants without a reason')
}
