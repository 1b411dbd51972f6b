import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'

/**
 * Lets one writer at a time change the conversations of a tenant, until its commit. Returns the time of its write: greater
 * than that of every write before, so a client that asks for what changed since a time misses none.
 */
export async function enterConversations(tx: Transaction, op: Operation): Promise<Date> {
  await lockInTransaction(tx, `conversations ${op.tenantId}`)
  const newest = await tx.q
    .selectFrom('conversations')
    .select(sql<Date | null>`max(updated_at)`.as('at'))
    .where('tenant_id', '=', op.tenantId)
    .executeTakeFirst()
  const last = newest?.at?.getTime() ?? 0
  return new Date(Math.max(op.now().getTime(), last + 1))
}
