import { atLeast, scopesOfRole, type Role } from '../../core/tenancy/roles.ts'
import { coversScopes } from '../../core/tenancy/scopes.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Operation } from '../operation.ts'
import type { Transaction } from '../transaction.ts'

/**
 * Writes a member's role down. When it is a smaller one, the keys of theirs that hold more than it may end, with the
 * sessions that were opened with them: rights that were handed out under the old role do not outlive it. Sessions of the member's own
 * have the new rights with the next call, in every process. The verb around it has checked that this may be done.
 */
export async function setRole(
  tx: Transaction,
  op: Operation,
  input: { readonly memberId: string; readonly from: Role; readonly to: Role },
): Promise<void> {
  const { memberId, from, to } = input
  const now = op.now()
  await tx.query('update members set role = $3, updated_at = $4 where id = $1 and tenant_id = $2', [
    memberId,
    op.tenantId,
    to,
    now,
  ])
  await recordAudit(tx, op, { action: 'member.role_changed', target: memberId, payload: { from, to } })
  await tx.query(`select pg_notify('svc_keys', $1)`, [memberId])
  if (atLeast(to, from)) return
  const keys = await tx.query<{ id: string; kind: string; scopes: readonly string[] }>(
    `select id, kind, scopes from api_keys
     where tenant_id = $1 and member_id = $2 and revoked_at is null order by id for update`,
    [op.tenantId, memberId],
  )
  const allowed = scopesOfRole(to)
  for (const key of keys.filter(({ scopes }) => !coversScopes(allowed, scopes))) {
    await tx.query('update api_keys set revoked_at = $2 where id = $1', [key.id, now])
    await tx.query(
      `update sessions set closed_at = $3 where tenant_id = $1 and source_key_id = $2 and closed_at is null
       returning pg_notify('svc_sessions', id)`,
      [op.tenantId, key.id, now],
    )
    await tx.query(`select pg_notify('svc_keys', $1)`, [key.id])
    await recordAudit(tx, op, {
      action: 'api_key.revoked',
      target: key.id,
      payload: { kind: key.kind, reason: `its holder is ${to} now` },
    })
  }
}
