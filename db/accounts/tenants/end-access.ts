import type { Transaction } from '../../kernel/transaction.ts'
import { announceKeys } from '../keys/live-actor.ts'

/** Number of ended credentials. */
export interface EndedAccess {
  readonly keys: number
  readonly sessions: number
}

/**
 * Ends every key and session of a tenant but the kept one, on every process at once: each drops its cached results of
 * the tenant.
 */
export async function endAccess(
  tx: Transaction,
  tenantId: string,
  now: Date,
  keptSessionId?: string,
): Promise<EndedAccess> {
  const keys = await tx.q
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('tenant_id', '=', tenantId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  const sessions = await tx.q
    .updateTable('sessions')
    .set({ closed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('closed_at', 'is', null)
    .where('id', '<>', keptSessionId ?? '')
    .executeTakeFirst()
  await announceKeys(tx, tenantId)
  return { keys: Number(keys.numUpdatedRows), sessions: Number(sessions.numUpdatedRows) }
}
