import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { insertKey } from '../keys/insert-key.ts'
import { mintKey } from '../keys/key-text.ts'
import { lockKeys, requireLiveActor } from '../keys/live-actor.ts'
import { retireKey } from '../keys/retire-key.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reads } from '../../kernel/queries/typed.ts'
import { requireDirectoryRights, requireEntitled } from './may-configure.ts'

/**
 * Issues a new SCIM token to the tenant's identity provider and ends the previous one, in one transaction. Returns the
 * token, which is shown only here. Throws `enterprise_only`, `insufficient_scope`, and the errors of
 * `requireLiveActor`.
 */
export async function rotateScimToken(
  op: Operation,
  input: { readonly plan: PlanId },
): Promise<{ readonly token: string; readonly retired: readonly string[] }> {
  requireEntitled(input.plan)
  requireDirectoryRights(op)
  const minted = await mintKey(op.db.hashSlots, 'scim', op.tenantId)
  return await op.write(async (tx) => {
    await lockKeys(tx, op.tenantId)
    await requireLiveActor(tx, op)
    const before = await tx.read((q) => liveTokens(q, op).forUpdate())
    for (const { id } of before) {
      await retireKey(tx, { tenantId: op.tenantId, keyId: id, kept: null, now: op.now() })
    }
    const keyId = insertKey(tx, {
      minted,
      kind: 'scim',
      tenantId: op.tenantId,
      memberId: null,
      scopes: [],
      now: op.now(),
    })
    await tx.em.flush()
    await recordAudit(tx, op, {
      action: 'scim_token.rotated',
      target: keyId,
      payload: { revoked: before.map(({ id }) => id) },
    })
    return { token: minted.apiKey, retired: before.map(({ id }) => id) }
  })
}

/** Returns true when the tenant's identity provider has a token. */
export async function hasScimToken(op: Operation): Promise<boolean> {
  const rows = await op.read((q) => liveTokens(q, op))
  return rows.length > 0
}

function liveTokens(q: Reads, op: Operation) {
  return q
    .selectFrom('api_keys')
    .select('id')
    .where('tenant_id', '=', op.tenantId)
    .where('kind', '=', 'scim')
    .where('revoked_at', 'is', null)
}
