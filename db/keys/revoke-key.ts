import { DomainError } from '../../core/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Operation } from '../operation.ts'
import { inTransaction } from '../transaction.ts'
import { ApiKeyEntity, type ApiKey } from './api-key.ts'

/**
 * Ends a key, and with it the sessions that were opened with it, on every process at once. Repeating it changes
 * nothing. Throws `not_found`, also for another tenant's key.
 */
export async function revokeKey(op: Operation, input: { readonly keyId: string }): Promise<ApiKey> {
  return await inTransaction(op.db, op.tenantId, async (tx) => {
    const key = await tx.em.findOne(ApiKeyEntity, { id: input.keyId })
    if (key === null) throw new DomainError('not_found', 'no such key')
    if (key.revokedAt !== null && key.revokedAt !== undefined) return key
    key.revokedAt = op.now()
    await tx.em.flush()
    await tx.query(
      `select pg_notify('svc_keys', $1), (
         select count(pg_notify('svc_sessions', id)) from sessions where source_key_id = $1 and closed_at is null
       )`,
      [key.id],
    )
    await tx.query('update sessions set closed_at = $2 where source_key_id = $1 and closed_at is null', [
      key.id,
      key.revokedAt,
    ])
    await recordAudit(tx, op, { action: 'api_key.revoked', target: key.id, payload: { kind: key.kind } })
    return key
  })
}
