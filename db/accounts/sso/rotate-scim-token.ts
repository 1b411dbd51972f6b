import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { insertKey } from '../keys/insert-key.ts'
import { mintKey } from '../keys/key-text.ts'
import { lockKeys, requireLiveActor } from '../keys/live-actor.ts'
import { retireKey } from '../keys/retire-key.ts'
import type { Operation } from '../../kernel/operation.ts'
import { inTransaction } from '../../kernel/transaction.ts'
import { requireDirectoryRights, requireEntitled } from './may-configure.ts'

/**
 * Gives the tenant's identity provider a new token for SCIM and ends the one before it, in one transaction. Answers the
 * token, which is shown this once. Throws `enterprise_only`, `insufficient_scope`, and what `requireLiveActor` throws.
 */
export async function rotateScimToken(
  op: Operation,
  input: { readonly plan: PlanId },
): Promise<{ readonly token: string; readonly retired: readonly string[] }> {
  requireEntitled(input.plan)
  requireDirectoryRights(op)
  const minted = await mintKey(op.db.hashSlots, 'scim', op.tenantId)
  return await inTransaction(op.db, op.tenantId, async (tx) => {
    await lockKeys(tx, op.tenantId)
    await requireLiveActor(tx, op)
    const before = await tx.query<{ id: string }>(
      `select id from api_keys where tenant_id = $1 and kind = 'scim' and revoked_at is null for update`,
      [op.tenantId],
    )
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

/** Whether the tenant's identity provider has a token. */
export async function hasScimToken(op: Operation): Promise<boolean> {
  const rows = await op.db.query(
    `select 1 from api_keys where tenant_id = $1 and kind = 'scim' and revoked_at is null`,
    [op.tenantId],
  )
  return rows.length > 0
}
