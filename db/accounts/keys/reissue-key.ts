import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { coversScopes } from '../../../core/kernel/scopes.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { ApiKeyEntity, type ApiKey } from './api-key.ts'
import { findByPrefix } from './find-key.ts'
import { insertKey } from './insert-key.ts'
import { mintKey } from './key-text.ts'
import { lockKeys, requireLiveActor } from './live-actor.ts'
import { requireCovered } from './mint-scoped-key.ts'
import { retireKey } from './retire-key.ts'
import { rotatePrimaryKey, type RotatedKey } from './rotate-primary-key.ts'

/** The key to replace, and the caller. */
export interface ReissueKeyInput {
  /** The public part of the key, or its beginning. */
  readonly prefix: string
  readonly memberId: string | null
  readonly sessionId?: string | undefined
}

/**
 * Ends the key with that prefix and makes another with the same scopes, label, holder and end. Throws `not_found`, also
 * when another call replaces the key at the same time, `ambiguous_prefix` when the prefix fits several,
 * `insufficient_scope` when the key may do more than the caller, who would see the new one, and `forbidden` for the key
 * of another member, as whom the caller could act.
 */
export async function reissueKey(op: Operation, input: ReissueKeyInput): Promise<RotatedKey> {
  requireScope(op, 'account:keys:write')
  const { id, kind } = await findByPrefix(op, input.prefix)
  const { memberId, sessionId } = input
  if (kind === 'primary') {
    return await rotatePrimaryKey(op, { replaces: id, memberId, sessionId })
  }
  const minted = await mintKey(op.db.hashSlots, 'ks', op.tenantId)
  return await op.write(async (tx) => {
    const { tenantId } = op
    const now = op.now()
    await lockKeys(tx, tenantId)
    await requireLiveActor(tx, op)
    // Read again: another call may have ended it while this one waited for the lock.
    const old = await tx.em.findOne(ApiKeyEntity, { id, revokedAt: null })
    if (old === null) throw KERNEL_ERRORS.not_found('no such key')
    requireCovered(op, old.scopes)
    requireOwn(op, old, memberId)
    const keyId = insertKey(tx, {
      minted,
      kind: 'scoped',
      tenantId,
      memberId: old.memberId ?? null,
      teamId: old.teamId ?? null,
      scopes: old.scopes,
      label: old.label ?? null,
      expiresAt: old.expiresAt ?? null,
      now,
    })
    await tx.em.flush()
    await retireKey(tx, {
      tenantId,
      keyId: id,
      kept: sessionId === undefined ? null : { sessionId, newKeyId: keyId },
      now,
    })
    await recordAudit(tx, op, {
      action: 'api_key.rotated',
      target: keyId,
      payload: { kind: 'scoped', replaced_key_id: id, label: old.label ?? null },
    })
    const key = await tx.em.findOneOrFail(ApiKeyEntity, { id: keyId })
    return { apiKey: minted.apiKey, key, replacedKeyId: id }
  })
}

/** Requires every right for another member's key: a key identifies its actor, and the caller would see its text. */
function requireOwn(op: Operation, { memberId: holder }: ApiKey, memberId: string | null): void {
  const isOwn = (holder ?? null) === null || holder === memberId
  if (isOwn || op.scopes === null || coversScopes(op.scopes, ['*'])) return
  throw ACCOUNTS_ERRORS.forbidden('this key belongs to another member; revoke it and ask them to create a new one')
}
