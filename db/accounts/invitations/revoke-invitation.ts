import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { requireOrgRole } from '../orgs/org-access.ts'
import { requireTeamRole } from '../teams/team-access.ts'
import { inTransaction } from '../../kernel/transaction.ts'
import { unknownInvitation } from './create-invitation.ts'

/**
 * Takes an invitation back; its seat is free. Repeating it, and revoking one that was accepted or has expired, changes
 * nothing. Throws `not_found`, also for another tenant's, and `forbidden`.
 */
export async function revokeInvitation(
  op: Operation,
  input: { readonly invitationId: string; readonly callerId: string | null },
): Promise<void> {
  requireScope(op, 'team:write')
  const { invitationId, callerId } = input
  await inTransaction(op.db, op.tenantId, async (tx) => {
    const [invitation] = await tx.query<{ teamId: string | null }>(
      'select team_id as "teamId" from invitations where id = $1 and tenant_id = $2 for update',
      [invitationId, op.tenantId],
    )
    if (invitation === undefined) throw unknownInvitation()
    const { teamId } = invitation
    if (teamId === null) {
      requireScope(op, 'team:admin')
      await requireOrgRole(tx, op, { orgId: op.tenantId, callerId, role: 'admin' })
    } else {
      await requireTeamRole(tx, op, { teamId, callerId, role: 'admin' })
    }
    const now = op.now()
    const revoked = await tx.query(
      `update invitations set revoked_at = $3
       where id = $1 and tenant_id = $2 and accepted_at is null and revoked_at is null and expires_at > $3 returning 1`,
      [invitationId, op.tenantId, now],
    )
    if (revoked.length === 0) return
    await recordAudit(tx, op, { action: 'invitation.revoked', target: invitationId, payload: { team_id: teamId } })
  })
}
