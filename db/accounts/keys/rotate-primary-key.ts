import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { ApiKeyEntity } from './api-key.ts'
import { insertKey } from './insert-key.ts'
import { mintKey } from './key-text.ts'
import { lockKeys, requireLiveActor } from './live-actor.ts'
import { requireCovered, type NewKey } from './mint-scoped-key.ts'
import { retireKey } from './retire-key.ts'

/** Settings for replacing the primary key. */
export interface RotatePrimaryKeyInput {
  /** The id of the expected primary key; any when absent. */
  readonly replaces?: string
  /** The label of the new key; that of the old one when absent. */
  readonly label?: string | null
  /** The caller; holds the new key when there was none before. */
  readonly memberId: string | null
  /** The session of the call, which continues with the new key. */
  readonly sessionId?: string | undefined
}

/** The new primary key; `replacedKeyId` is null when there was none. */
export interface RotatedKey extends NewKey {
  readonly replacedKeyId: string | null
}

/**
 * Makes a new primary key and ends the previous one, with the sessions opened with it, except the caller's. A tenant
 * without a primary key gets its first. Only for callers with every right, since the new key has them. Throws
 * `insufficient_scope`, `invalid_credential` for a caller whose key another rotation has just ended, and `not_found`
 * when the expected key is no longer the primary one.
 */
export async function rotatePrimaryKey(op: Operation, input: RotatePrimaryKeyInput): Promise<RotatedKey> {
  requireScope(op, 'account:keys:write')
  requireCovered(op, ['*'])
  const minted = await mintKey(op.db.hashSlots, 'ks', op.tenantId)
  return await op.write(async (tx) => {
    const { tenantId } = op
    const now = op.now()
    await lockKeys(tx, tenantId)
    await requireLiveActor(tx, op)
    const old = await tx.em.findOne(ApiKeyEntity, { kind: 'primary', revokedAt: null })
    if (input.replaces !== undefined && old?.id !== input.replaces) throw KERNEL_ERRORS.not_found('no such key')
    // Ended before the new one exists: a tenant has one live primary key. Its sessions follow below.
    if (old !== null) {
      old.revokedAt = now
      await tx.em.flush()
    }
    const label = input.label === undefined ? (old?.label ?? null) : input.label
    const keyId = insertKey(tx, {
      minted,
      kind: 'primary',
      tenantId,
      memberId: old?.memberId ?? input.memberId,
      scopes: ['*'],
      label,
      now,
    })
    await tx.em.flush()
    if (old !== null) {
      const kept = input.sessionId === undefined ? null : { sessionId: input.sessionId, newKeyId: keyId }
      await retireKey(tx, { tenantId, keyId: old.id, kept, now })
    }
    await recordAudit(tx, op, {
      action: 'api_key.rotated',
      target: keyId,
      payload: { kind: 'primary', replaced_key_id: old?.id ?? null, label },
    })
    const key = await tx.em.findOneOrFail(ApiKeyEntity, { id: keyId })
    return { apiKey: minted.apiKey, key, replacedKeyId: old?.id ?? null }
  })
}
