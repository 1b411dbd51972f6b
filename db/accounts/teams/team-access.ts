import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { atLeast, type Role } from '../../../core/accounts/roles.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { isTeamOfOthers } from '../across/of-others.ts'
import type { Place } from '../../kernel/operation.ts'

/** A team, and the caller's role in it. */
export interface TeamAccess {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly source: 'manual' | 'scim'
  readonly createdAt: Date
  readonly members: number
  /** The organisation's owners and admins run its teams: an owner as owner, an admin at least as admin. */
  readonly role: Role
}

/**
 * Returns the team, when the caller has at least the required role in it. Throws `not_found` for an unknown id, and
 * `forbidden` for a team of another organisation, a team without the caller, or a role that is too low.
 */
export async function requireTeamRole(
  from: Reader,
  op: Place,
  input: { readonly teamId: string; readonly callerId: string | null; readonly role: Role },
): Promise<TeamAccess> {
  const [team] = await from.read((q) =>
    q
      .selectFrom('teams as t')
      .leftJoin('members as m', (on) =>
        on.on('m.id', '=', input.callerId).onRef('m.tenant_id', '=', 't.tenant_id').on('m.state', '=', 'active'),
      )
      .leftJoin('team_members as tm', (on) => on.onRef('tm.team_id', '=', 't.id').onRef('tm.member_id', '=', 'm.id'))
      .select((of) => [
        't.id',
        't.tenant_id as tenantId',
        't.slug',
        't.name',
        't.source',
        't.created_at as createdAt',
        'm.role as orgRole',
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
      .where('t.id', '=', input.teamId),
  )
  if (team === undefined) {
    if (await isTeamOfOthers(from, op.db, input.teamId))
      throw ACCOUNTS_ERRORS.forbidden('you are not a member of this team')
    throw KERNEL_ERRORS.not_found('no such team')
  }
  const { tenantId, orgRole, teamRole, ...facts } = team
  const role = roleIn(orgRole, teamRole)
  if (tenantId !== op.tenantId || role === null) throw ACCOUNTS_ERRORS.forbidden('you are not a member of this team')
  if (!atLeast(role, input.role)) {
    throw ACCOUNTS_ERRORS.forbidden(`this needs the role ${input.role} in the team; yours is ${role}`, {
      details: { required_role: input.role, role },
    })
  }
  return { ...facts, role }
}

/** Returns a member's role in a team, from the roles in the organisation and in the team; null for an outsider. */
export function roleIn(orgRole: Role | null, teamRole: Role | null): Role | null {
  if (orgRole === null) return null
  if (orgRole === 'owner') return 'owner'
  if (orgRole === 'admin') return teamRole === 'owner' ? 'owner' : 'admin'
  return teamRole
}

/** Throws `forbidden` for a team that follows a group of an identity provider: it is changed there. */
export function refuseDirected(team: TeamAccess): void {
  if (team.source === 'manual') return
  throw ACCOUNTS_ERRORS.forbidden('this team follows a group of your identity provider; change it there')
}
