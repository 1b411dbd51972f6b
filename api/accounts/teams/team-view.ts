import type { z } from 'zod'
import { PLANS } from '../../../core/kernel/tenant/plans.ts'
import { seatsUsed } from '../../../db/accounts/members/seats.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { TeamMemberView } from '../../../db/accounts/teams/list-teams.ts'
import type { TeamAccess } from '../../../db/accounts/teams/team-access.ts'
import type { TeamMemberRow, TeamView } from '../../../core/accounts/wire/teams/team-view.ts'

/** Returns the seats of the caller's organisation by its plan; a request body cannot set them. */
export async function seatsOf(
  op: Operation,
  { plan }: Pick<Principal, 'plan'>,
): Promise<Pick<z.input<typeof TeamView>, 'plan' | 'seats_max' | 'seats_used'>> {
  return { plan, seats_max: PLANS[plan].seats, seats_used: await seatsUsed(op, op.tenantId, op.now()) }
}

/** Presents a team. */
export function presentTeam(
  team: TeamAccess,
  tenantId: string,
  seats: Awaited<ReturnType<typeof seatsOf>>,
): z.input<typeof TeamView> {
  return {
    id: team.id,
    slug: team.slug,
    name: team.name,
    owner_tenant_id: tenantId,
    source: team.source,
    ...seats,
    members: team.members,
    role: team.role,
    created_at: team.createdAt.toISOString(),
  }
}

/** Presents a member of a team. */
export function presentTeamMember(member: TeamMemberView): z.input<typeof TeamMemberRow> {
  return {
    member_id: member.memberId,
    email: member.email,
    display_name: member.displayName,
    role: member.role,
    joined_at: member.joinedAt.toISOString(),
  }
}
