import type { Role } from '../../../core/accounts/roles.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { roleIn } from './team-access.ts'

/** Returns the role of an active member in a team of the tenant; null for someone outside of it. */
export async function findTeamRole(
  from: Reader,
  input: { readonly tenantId: string; readonly memberId: string; readonly teamId: string },
): Promise<Role | null> {
  const { tenantId, memberId, teamId } = input
  const [found] = await from.read((q) =>
    q
      .selectFrom('teams as t')
      .innerJoin('members as m', 'm.tenant_id', 't.tenant_id')
      .leftJoin('team_members as tm', (on) => on.onRef('tm.team_id', '=', 't.id').onRef('tm.member_id', '=', 'm.id'))
      .select(['m.role as orgRole', 'tm.role as teamRole'])
      .where('t.id', '=', teamId)
      .where('t.tenant_id', '=', tenantId)
      .where('m.id', '=', memberId)
      .where('m.state', '=', 'active'),
  )
  return found === undefined ? null : roleIn(found.orgRole, found.teamRole)
}
