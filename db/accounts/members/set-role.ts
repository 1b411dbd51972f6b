import { scopesOfRole, type Role } from '../../../core/accounts/roles.ts'
import { coversScopes } from '../../../core/kernel/scopes.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { announceKeys, lockKeys } from '../keys/live-actor.ts'
import { retireKey } from '../keys/retire-key.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Sets a member's role and ends those of their keys that hold more than it allows, with the sessions opened with them:
 * rights granted under another role do not outlive it. The member's own sessions have the new rights with the next
 * call, in every process. The one place where a role changes; the calling verb has checked the permission. An unchanged
 * role is a no-op.
 */
export async function setRole(
  tx: Transaction,
  op: Operation,
  { memberId, role }: { readonly memberId: string; readonly role: Role },
): Promise<void> {
  const { tenantId } = op
  const now = op.now()
  // A key that is being made right now is seen below, and one that is made after this sees the new role.
  await lockKeys(tx, tenantId)
  const [member] = await tx.read((q) =>
    q
      .selectFrom('members')
      .select('role')
      .where('id', '=', memberId)
      .where('tenant_id', '=', tenantId)
      .forNoKeyUpdate(),
  )
  if (member === undefined) throw new Error(`the tenant has no member ${memberId}`)
  if (member.role === role) return
  await tx.q
    .updateTable('members')
    .set({ role, updated_at: now })
    .where('id', '=', memberId)
    .where('tenant_id', '=', tenantId)
    .execute()
  await recordAudit(tx, op, {
    action: 'member.role_changed',
    target: memberId,
    payload: { from: member.role, to: role },
  })
  await announceKeys(tx, memberId)
  const keys = await tx.read((q) =>
    q
      .selectFrom('api_keys')
      .select(['id', 'kind', 'scopes'])
      .where('tenant_id', '=', tenantId)
      .where('member_id', '=', memberId)
      .where('revoked_at', 'is', null)
      .orderBy('id'),
  )
  const allowed = scopesOfRole(role)
  for (const { id, kind, scopes } of keys) {
    if (coversScopes(allowed, scopes)) continue
    await retireKey(tx, { tenantId, keyId: id, kept: null, now })
    await recordAudit(tx, op, {
      action: 'api_key.revoked',
      target: id,
      payload: { kind, reason: `its holder is ${role} now` },
    })
  }
}
