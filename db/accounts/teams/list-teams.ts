import { atLeast, type Role } from '../../../core/accounts/roles.ts'
import { findRole } from '../members/find-role.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeByCreation, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { requireTeamRole, roleIn, type TeamAccess } from './team-access.ts'

/**
 * Lists the caller's teams, newest first; for admins of the organisation, all of its teams. Throws `invalid_cursor`.
 */
export async function listTeams(
  op: Operation,
  input: PageRequest & { readonly callerId: string | null },
): Promise<Page<TeamAccess>> {
  const orgRole = await findRole(op, op.tenantId, input.callerId)
  if (orgRole === null) return { items: [], nextCursor: null }
  const after = placeOf(input.cursor)
  const rows = await op.read((q) =>
    q
      .selectFrom('teams as t')
      .leftJoin('team_members as tm', (on) =>
        on.onRef('tm.team_id', '=', 't.id').on('tm.member_id', '=', input.callerId),
      )
      .select((of) => [
        't.id',
        't.slug',
        't.name',
        't.source',
        't.created_at as createdAt',
        'tm.role as teamRole',
        of
          .selectFrom('team_members as o')
          .innerJoin('members as om', (on) => on.onRef('om.id', '=', 'o.member_id').on('om.state', '=', 'active'))
          .select(of.fn.countAll<number>().as('count'))
          .whereRef('o.team_id', '=', 't.id')
          .$asScalar()
          .$notNull()
          .as('members'),
      ])
      .where('t.tenant_id', '=', op.tenantId)
      .$if(!atLeast(orgRole, 'admin'), (all) => all.where('tm.role', 'is not', null))
      .where((of) => of(of.refTuple('t.created_at', 't.id'), '<', of.tuple(new Date(after.rank), after.id)))
      .orderBy('t.created_at', 'desc')
      .orderBy('t.id', 'desc')
      .limit(input.limit + 1),
  )
  const teams = rows.map(({ teamRole, ...team }) => ({ ...team, role: roleIn(orgRole, teamRole) ?? 'viewer' }))
  return pageOf(teams, input.limit, placeByCreation)
}

/** A member of a team. */
export interface TeamMemberView {
  readonly memberId: string
  readonly email: string
  readonly displayName: string | null
  readonly role: Role
  readonly joinedAt: Date
}

/** Lists the members of a team, newest first. Throws `not_found`, `forbidden` and `invalid_cursor`. */
export async function listTeamMembers(
  op: Operation,
  input: PageRequest & { readonly teamId: string; readonly callerId: string | null },
): Promise<Page<TeamMemberView>> {
  const team = await requireTeamRole(op, op, { ...input, role: 'viewer' })
  const after = placeOf(input.cursor)
  const rows = await op.read((q) =>
    q
      .selectFrom('team_members as tm')
      .innerJoin('members as m', (on) => on.onRef('m.id', '=', 'tm.member_id').on('m.state', '=', 'active'))
      .select(['m.id as memberId', 'm.email', 'm.display_name as displayName', 'tm.role', 'tm.created_at as joinedAt'])
      .where('tm.team_id', '=', team.id)
      .where('tm.tenant_id', '=', op.tenantId)
      .where((of) => of(of.refTuple('tm.created_at', 'm.id'), '<', of.tuple(new Date(after.rank), after.id)))
      .orderBy('tm.created_at', 'desc')
      .orderBy('m.id', 'desc')
      .limit(input.limit + 1),
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.joinedAt.getTime(), id: row.memberId }))
}
