import { DomainError } from '../../../core/kernel/errors.ts'
import type { Role } from '../../../core/accounts/roles.ts'
import type { SqlRunner } from '../../kernel/database.ts'
import { hashInvitation, unknownInvitation } from './create-invitation.ts'
import { stateSql, type InvitationState } from './list-invitations.ts'

/** An invitation as whoever holds its token sees it. */
export interface OpenInvitation {
  readonly id: string
  readonly tenantId: string
  readonly org: string
  readonly teamId: string | null
  readonly team: string | null
  readonly email: string
  readonly role: Role
  readonly expiresAt: Date
}

/**
 * The invitation that a token was mailed with; in a transaction it stays locked. Throws `not_found` for a token that was
 * never mailed, and `invitation_expired` for one that is used up, too old or revoked, or whose organisation is gone.
 */
export async function findOpenInvitation(
  sql: SqlRunner,
  input: { readonly token: string; readonly now: Date; readonly isLocking: boolean },
): Promise<OpenInvitation> {
  const [found] = await sql.query<OpenInvitation & { readonly state: InvitationState; readonly isOrgGone: boolean }>(
    `select i.id, i.tenant_id as "tenantId", o.name as org, i.team_id as "teamId", t.name as team, i.email, i.role,
       i.expires_at as "expiresAt", ${stateSql('$2')} as state, o.deleted_at is not null as "isOrgGone"
     from invitations i join tenants o on o.id = i.tenant_id left join teams t on t.id = i.team_id
     where i.token_hash = $1 ${input.isLocking ? 'for update of i' : ''}`,
    [hashInvitation(input.token), input.now],
  )
  if (found === undefined) throw unknownInvitation()
  const { state, isOrgGone, ...invitation } = found
  if (state === 'open' && !isOrgGone) return invitation
  const reason = state === 'accepted' ? 'was accepted already' : state === 'expired' ? 'has expired' : 'was revoked'
  throw new DomainError('invitation_expired', `this invitation ${reason}; ask for another`, {
    details: { state: isOrgGone ? 'revoked' : state },
  })
}
