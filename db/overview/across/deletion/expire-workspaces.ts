import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import type { Database } from '../../../kernel/database.ts'
import { systemOperation } from '../../../kernel/operation.ts'
import { service } from '../../../kernel/queries/service.ts'
import { sweepInBatches } from '../../../kernel/tables/sweep-in-batches.ts'
import { requestDeletion } from '../../deletion/request-deletion.ts'

/** Workspaces that one transaction ends: each takes some statements of its own. */
const BATCH = 100

/**
 * Ends expired anonymous workspaces and requests the workflow that removes their data; returns how many. Their tokens
 * still resolve, as expired ones.
 */
export async function expireWorkspaces(db: Database, now: Date, signal?: AbortSignal): Promise<number> {
  return await sweepInBatches(signal, async (most) => await expireSome(db, now, most), BATCH)
}

async function expireSome(db: Database, now: Date, most: number): Promise<readonly unknown[]> {
  return await service.write(db, 'ends expired workspaces', async (tx) => {
    const expired = await tx.q
      .updateTable('tenants')
      .set({ deleted_at: now })
      .where('id', 'in', (of) =>
        of
          .selectFrom('tenants')
          .select('id')
          .where('expires_at', '<=', now)
          .where('kind', '=', 'anonymous')
          .where('deleted_at', 'is', null)
          .orderBy('expires_at')
          .limit(most)
          .forUpdate()
          .skipLocked(),
      )
      .returning('id')
      .execute()
    for (const { id } of expired) {
      const op = systemOperation(db, { tenantId: id, name: 'expiry', requestId: id, now: () => now })
      await service.forTenant(tx, id, async () => {
        await recordAudit(tx, op, { action: 'tenant.deleted', target: id, payload: { reason: 'expired' } })
        await requestDeletion(tx, { tenantId: id, now })
      })
    }
    return expired
  })
}
