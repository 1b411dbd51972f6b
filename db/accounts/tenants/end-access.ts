import type { Transaction } from '../../kernel/transaction.ts'

/** How much ended. */
export interface EndedAccess {
  readonly keys: number
  readonly sessions: number
}

/** Ends every key and session of a tenant, on every process at once: each drops what it remembers of the tenant. */
export async function endAccess(tx: Transaction, tenantId: string, now: Date): Promise<EndedAccess> {
  const keys = await tx.query(
    'update api_keys set revoked_at = $2 where tenant_id = $1 and revoked_at is null returning 1',
    [tenantId, now],
  )
  const sessions = await tx.query(
    'update sessions set closed_at = $2 where tenant_id = $1 and closed_at is null returning 1',
    [tenantId, now],
  )
  await tx.query(`select pg_notify('svc_keys', $1)`, [tenantId])
  return { keys: keys.length, sessions: sessions.length }
}
