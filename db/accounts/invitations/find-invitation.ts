import { sql } from 'kysely'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import type { Role } from '../../../core/accounts/roles.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { hashInvitation, unknownInvitation } from './create-invitation.ts'
import { stateAt } from './list-invitations.ts'

/** An invitation as the holder of its token sees it. */
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
 * Returns the invitation of a mailed token; in a transaction it stays locked. Throws `not_found` for an unknown token,
 * and `invitation_expired` for one that is used up, expired or revoked, or whose organisation is deleted.
 */
export async function findOpenInvitation(
  from: Reader,
  input: { readonly token: string; readonly now: Date; readonly isLocking: boolean },
): Promise<OpenInvitation> {
  const [found] = await from.read((q) =>
    q
      .selectFrom('invitations as i')
      .innerJoin('tenants as o', 'o.id', 'i.tenant_id')
      .leftJoin('teams as t', 't.id', 'i.team_id')
      .select([
        'i.id',
        'i.tenant_id as tenantId',
        'o.name as org',
        'i.team_id as teamId',
        't.name as team',
        'i.email',
        'i.role',
        'i.expires_at as expiresAt',
        stateAt(input.now).as('state'),
        sql<boolean>`o.deleted_at is not null`.as('isOrgGone'),
      ])
      .where('i.token_hash', '=', hashInvitation(input.token))
      .$if(input.isLocking, (locked) => locked.forUpdate('i')),
  )
  if (found === undefined) throw unknownInvitation()
  const { state, isOrgGone, ...invitation } = found
  if (state === 'open' && !isOrgGone) return invitation
  const reason = state === 'accepted' ? 'was accepted already' : state === 'expired' ? 'has expired' : 'was revoked'
  throw ACCOUNTS_ERRORS.invitation_expired(`this invitation ${reason}; ask for another`, {
    details: { state: isOrgGone ? 'revoked' : state },
  })
}
