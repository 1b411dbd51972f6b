import { atLeast, type Role } from '../../../core/accounts/roles.ts'
import { findRole } from '../members/find-role.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { requireTeamRole, roleIn, type TeamAccess } from './team-access.ts'

/** The caller's teams, newest first; of those who run the organisation, all of its teams. Throws `invalid_cursor`. */
export async function listTeams(
  op: Operation,
  input: PageRequest & { readonly callerId: string | null },
): Promise<Page<TeamAccess>> {
  const orgRole = await findRole(op.db, op.tenantId, input.callerId)
  if (orgRole === null) return { items: [], nextCursor: null }
  const after = placeOf(input.cursor)
  const rows = await op.db.query<Omit<TeamAccess, 'role'> & { readonly teamRole: Role | null }>(
    `select t.id, t.slug, t.name, t.source, t.created_at as "createdAt", tm.role as "teamRole",
       (select count(*) from team_members o join members om on om.id = o.member_id and om.state = 'active'
        where o.team_id = t.id) as members
     from teams t left join team_members tm on tm.team_id = t.id and tm.member_id = $2
     where t.tenant_id = $1 and (tm.role is not null or $3) and (t.created_at, t.id) < ($4, $5)
     order by t.created_at desc, t.id desc limit $6`,
    [op.tenantId, input.callerId, atLeast(orgRole, 'admin'), new Date(after.rank), after.id, input.limit + 1],
  )
  const teams = rows.map(({ teamRole, ...team }) => ({ ...team, role: roleIn(orgRole, teamRole) ?? 'viewer' }))
  return pageOf(teams, input.limit, (team) => ({ rank: team.createdAt.getTime(), id: team.id }))
}

/** A member of a team. */
export interface TeamMemberView {
  readonly memberId: string
  readonly email: string
  readonly displayName: string | null
  readonly role: Role
  readonly joinedAt: Date
}

/** The members of a team, newest first. Throws `not_found`, `forbidden` and `invalid_cursor`. */
export async function listTeamMembers(
  op: Operation,
  input: PageRequest & { readonly teamId: string; readonly callerId: string | null },
): Promise<Page<TeamMemberView>> {
  const team = await requireTeamRole(op.db, op, { ...input, role: 'viewer' })
  const after = placeOf(input.cursor)
  const rows = await op.db.query<TeamMemberView>(
    `select m.id as "memberId", m.email, m.display_name as "displayName", tm.role, tm.created_at as "joinedAt"
     from team_members tm join members m on m.id = tm.member_id and m.state = 'active'
     where tm.team_id = $1 and tm.tenant_id = $2 and (tm.created_at, m.id) < ($3, $4)
     order by tm.created_at desc, m.id desc limit $5`,
    [team.id, op.tenantId, new Date(after.rank), after.id, input.limit + 1],
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.joinedAt.getTime(), id: row.memberId }))
}
