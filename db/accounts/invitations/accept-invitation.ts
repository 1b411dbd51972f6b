import type { Limits } from '../../../core/accounts/limits.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Database } from '../../kernel/database.ts'
import { findInvitationOfToken } from '../across/invitation-of-token.ts'
import { addMember } from '../members/add-member.ts'
import { lockSeats } from '../members/lock-seats.ts'
import { ACCESS, type Operation } from '../../kernel/operation.ts'
import { openSessionIn } from '../sessions/open-session.ts'
import { joinTeam } from '../teams/team-members.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { orgRoleOf } from './create-invitation.ts'
import { findOpenInvitation, type OpenInvitation } from './find-invitation.ts'

/** The accepting person, as far as known. */
export interface AcceptInvitationInput {
  /** The mailed token: its holder reads the mail of that address. */
  readonly token: string
  readonly requestId: string
  readonly now: () => Date
  readonly ip?: string | undefined
  readonly userAgent?: string | undefined
  readonly limits: Limits
}

/** The membership, and a session in the organisation. */
export interface AcceptedInvitation extends OpenInvitation {
  readonly memberId: string
  readonly sessionToken: string
}

/**
 * Accepts an invitation, once: a member with a verified address, a place in the team, and a session, in one
 * transaction. A person who became a member meanwhile only joins the team. Throws `not_found`, `invitation_expired`,
 * `seat_limit` when the plan has shrunk, and `duplicate` for a person whom the organisation's identity provider has
 * shut out.
 */
export async function acceptInvitation(db: Database, input: AcceptInvitationInput): Promise<AcceptedInvitation> {
  const seen = await findInvitationOfToken(db, { token: input.token, now: input.now() })
  const op: Operation = {
    ...ACCESS,
    db,
    tenantId: seen.tenantId,
    actor: { kind: 'anonymous' },
    scopes: null,
    requestId: input.requestId,
    now: input.now,
  }
  return await op.write(async (tx) => {
    // Before the row: clamping seats takes this lock first and then the rows of invitations.
    await lockSeats(tx, op.tenantId)
    const now = op.now()
    const invitation = await findOpenInvitation(tx, { token: input.token, now, isLocking: true })
    const memberId = await memberOf(tx, op, invitation)
    if (invitation.teamId !== null) {
      await joinTeam(tx, op, { teamId: invitation.teamId, memberId, role: invitation.role })
    }
    await tx.q
      .updateTable('invitations')
      .set({ accepted_at: now, accepted_by: memberId })
      .where('id', '=', invitation.id)
      .execute()
    await recordAudit(tx, op, {
      action: 'invitation.accepted',
      target: invitation.id,
      payload: { member_id: memberId, team_id: invitation.teamId, role: invitation.role },
    })
    const { token } = await openSessionIn(tx, op, {
      keyId: null,
      memberId,
      authMethod: 'invitation',
      ip: input.ip,
      userAgent: input.userAgent,
      limits: input.limits,
    })
    return { ...invitation, memberId, sessionToken: token }
  })
}

/** Returns the member with the invited address, who has just proved that it is theirs. */
async function memberOf(tx: Transaction, op: Operation, invitation: OpenInvitation): Promise<string> {
  const known = await tx.q
    .updateTable('members')
    .set({ is_email_verified: true, updated_at: op.now() })
    .where('tenant_id', '=', op.tenantId)
    .where('email', '=', invitation.email)
    .where('state', '=', 'active')
    .returning('id')
    .executeTakeFirst()
  if (known !== undefined) return known.id
  const member = await addMember(tx, op, {
    email: invitation.email,
    role: orgRoleOf(invitation),
    source: 'invitation',
    isEmailVerified: true,
  })
  return member.id
}
