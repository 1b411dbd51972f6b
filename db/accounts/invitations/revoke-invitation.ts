import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { requireOrgRole } from '../orgs/org-access.ts'
import { requireTeamRole } from '../teams/team-access.ts'
import { unknownInvitation } from './create-invitation.ts'

/**
 * Revokes an invitation and frees its seat. Repeating it, and revoking one that was accepted or has expired, changes
 * nothing. Throws `not_found`, also for another tenant's, and `forbidden`.
 */
export async function revokeInvitation(
  op: Operation,
  input: { readonly invitationId: string; readonly callerId: string | null },
): Promise<void> {
  requireScope(op, 'team:write')
  const { invitationId, callerId } = input
  await op.write(async (tx) => {
    const [invitation] = await tx.read((q) =>
      q
        .selectFrom('invitations')
        .select('team_id as teamId')
        .where('id', '=', invitationId)
        .where('tenant_id', '=', op.tenantId)
        .forUpdate(),
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
    const revoked = await tx.q
      .updateTable('invitations')
      .set({ revoked_at: now })
      .where('id', '=', invitationId)
      .where('tenant_id', '=', op.tenantId)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst()
    if (Number(revoked.numUpdatedRows) === 0) return
    await recordAudit(tx, op, { action: 'invitation.revoked', target: invitationId, payload: { team_id: teamId } })
  })
}
