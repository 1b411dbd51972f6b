import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Database } from '../../kernel/database.ts'
import { systemOperation } from '../../kernel/operation.ts'
import { inTransaction } from '../../kernel/transaction.ts'
import { requestDeletion } from './request-deletion.ts'

const BATCH = 100

/**
 * Ends anonymous workspaces whose time is over and asks for the workflow that removes what they hold; answers how many.
 * Their tokens go on being answered as expired ones.
 */
export async function expireWorkspaces(db: Database, now: Date): Promise<number> {
  return await inTransaction(db, null, async (tx) => {
    const expired = await tx.query<{ id: string }>(
      `update tenants set deleted_at = $1 where id in (
         select id from tenants
         where expires_at <= $1 and kind = 'anonymous' and deleted_at is null
         order by expires_at limit ${BATCH} for update skip locked
       ) returning id`,
      [now],
    )
    for (const { id } of expired) {
      const op = systemOperation(db, { tenantId: id, name: 'expiry', requestId: id, now: () => now })
      await recordAudit(tx, op, { action: 'tenant.deleted', target: id, payload: { reason: 'expired' } })
      await requestDeletion(tx, { tenantId: id, now })
    }
    return expired.length
  })
}
