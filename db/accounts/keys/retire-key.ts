import type { Transaction } from '../../kernel/transaction.ts'

/** A key that goes, and what becomes of the sessions that were opened with it. */
export interface RetireKeyInput {
  readonly tenantId: string
  readonly keyId: string
  /** The session that goes on, with another key behind it: the one of whoever asked for the change. */
  readonly kept: { readonly sessionId: string; readonly newKeyId: string } | null
  readonly now: Date
}

/** Ends a key and the sessions that were opened with it, on every process at once. */
export async function retireKey(tx: Transaction, input: RetireKeyInput): Promise<void> {
  const { tenantId, keyId, kept, now } = input
  await tx.em.flush()
  if (kept !== null) {
    await tx.query('update sessions set source_key_id = $3 where tenant_id = $1 and id = $2 and source_key_id = $4', [
      tenantId,
      kept.sessionId,
      kept.newKeyId,
      keyId,
    ])
  }
  await tx.query(
    `update api_keys set revoked_at = coalesce(revoked_at, $3) where tenant_id = $1 and id = $2
     returning pg_notify('svc_keys', id)`,
    [tenantId, keyId, now],
  )
  await tx.query(
    `update sessions set closed_at = $3 where tenant_id = $1 and source_key_id = $2 and closed_at is null
     returning pg_notify('svc_sessions', id)`,
    [tenantId, keyId, now],
  )
}
