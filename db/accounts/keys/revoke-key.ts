import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { ApiKeyEntity, type ApiKey, type KeyKind } from './api-key.ts'
import { lockKeys } from './live-actor.ts'
import { retireKey } from './retire-key.ts'

/** The key to revoke. */
export interface RevokeKeyInput {
  readonly keyId: string
  /** Only when it is of this kind; of any kind when absent. */
  readonly kind?: KeyKind
}

/**
 * Ends a key and the sessions opened with it, on every process at once. A key that it is making at that time is either
 * complete before it ends, or never made. Repeating it changes nothing. Throws `insufficient_scope`, and `not_found`,
 * also for another tenant's key.
 */
export async function revokeKey(
  op: Operation,
  input: RevokeKeyInput,
): Promise<{ readonly key: ApiKey; readonly isFirst: boolean }> {
  requireScope(op, 'account:keys:write')
  return await op.write(async (tx) => {
    const { keyId, kind } = input
    await lockKeys(tx, op.tenantId)
    const key = await tx.em.findOne(ApiKeyEntity, { id: keyId, ...(kind !== undefined && { kind }) })
    if (key === null) throw KERNEL_ERRORS.not_found('no such key')
    if ((key.revokedAt ?? null) !== null) return { key, isFirst: false }
    await retireKey(tx, { tenantId: op.tenantId, keyId: key.id, kept: null, now: op.now() })
    await recordAudit(tx, op, { action: 'api_key.revoked', target: key.id, payload: { kind: key.kind } })
    return { key, isFirst: true }
  })
}
