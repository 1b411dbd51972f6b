import { sql } from 'kysely'
import type { Role } from '../../../core/accounts/roles.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requireOrgRole } from '../orgs/org-access.ts'
import { pageOf, placeByCreation, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** State of an invitation. */
export type InvitationState = 'open' | 'accepted' | 'revoked' | 'expired'

/** An invitation as the organisation's admins see it; the token is only in the mail. */
export interface InvitationView {
  readonly id: string
  readonly teamId: string | null
  readonly email: string
  readonly role: Role
  readonly state: InvitationState
  readonly invitedBy: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Returns the state of the invitation `i` of a query at a time. */
export function stateAt(now: Date) {
  return sql<InvitationState>`case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
    when i.expires_at <= ${now} then 'expired' else 'open' end`
}

/** Lists the invitations of an organisation, newest first. Throws `not_found`, `forbidden` and `invalid_cursor`. */
export async function listInvitations(
  op: Operation,
  input: PageRequest & { readonly orgId: string; readonly callerId: string | null },
): Promise<Page<InvitationView>> {
  await requireOrgRole(op, op, { ...input, role: 'admin' })
  const after = placeOf(input.cursor)
  const rows = await op.read((q) =>
    q
      .selectFrom('invitations as i')
      .select([
        'i.id',
        'i.team_id as teamId',
        'i.email',
        'i.role',
        'i.invited_by as invitedBy',
        'i.created_at as createdAt',
        'i.expires_at as expiresAt',
        stateAt(op.now()).as('state'),
      ])
      .where('i.tenant_id', '=', op.tenantId)
      .where((of) => of(of.refTuple('i.created_at', 'i.id'), '<', of.tuple(new Date(after.rank), after.id)))
      .orderBy('i.created_at', 'desc')
      .orderBy('i.id', 'desc')
      .limit(input.limit + 1),
  )
  return pageOf(rows, input.limit, placeByCreation)
}
