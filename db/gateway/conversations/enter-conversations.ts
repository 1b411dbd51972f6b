import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'

/**
 * Lets one writer at a time change the conversations of a tenant, until its commit. Returns the time of its write: greater
 * than that of every write before, so a client that asks for what changed since a time misses none.
 */
export async function enterConversations(tx: Transaction, { tenantId, now }: Operation): Promise<Date> {
  await lockInTransaction(tx, `conversations ${tenantId}`)
  const newest = await tx.q
    .selectFrom('conversations')
    .select(sql<Date | null>`max(updated_at)`.as('at'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  const after = newest?.at == null ? 0 : newest.at.getTime() + 1
  return new Date(Math.max(now().getTime(), after))
}
