import type { Role } from '../../../core/accounts/roles.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requireOrgRole } from '../orgs/org-access.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** How an invitation stands. */
export type InvitationState = 'open' | 'accepted' | 'revoked' | 'expired'

/** An invitation as those who run the organisation see it; its token is nobody's but the mail's. */
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

/** SQL for how the invitation `i` stands; `now` names the parameter that holds the time. */
export function stateSql(now: string): string {
  return `case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
     when i.expires_at <= ${now} then 'expired' else 'open' end`
}

/** The invitations of an organisation, newest first. Throws `not_found`, `forbidden` and `invalid_cursor`. */
export async function listInvitations(
  op: Operation,
  input: PageRequest & { readonly orgId: string; readonly callerId: string | null },
): Promise<Page<InvitationView>> {
  await requireOrgRole(op.db, op, { ...input, role: 'admin' })
  const after = placeOf(input.cursor)
  const rows = await op.db.query<InvitationView>(
    `select id, team_id as "teamId", email, role, invited_by as "invitedBy", created_at as "createdAt",
       expires_at as "expiresAt", ${stateSql('$5')} as state
     from invitations i where tenant_id = $1 and (created_at, id) < ($2, $3)
     order by created_at desc, id desc limit $4`,
    [op.tenantId, new Date(after.rank), after.id, input.limit + 1, op.now()],
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.createdAt.getTime(), id: row.id }))
}
