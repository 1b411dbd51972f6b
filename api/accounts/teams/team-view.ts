import { z } from 'zod'
import { PLANS } from '../../../core/kernel/tenant/plans.ts'
import { seatsUsed } from '../../../db/accounts/members/seats.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { TeamMemberView } from '../../../db/accounts/teams/list-teams.ts'
import type { TeamAccess } from '../../../db/accounts/teams/team-access.ts'
import { MemberId, TeamId } from '../../../core/kernel/wire/ids.ts'
import { RoleName } from '../../../core/accounts/wire/roles.ts'
import { Plan } from '../../../core/kernel/wire/tenant.ts'

/** A team as somebody in it sees it. Plan and seats are the organisation's. */
export const TeamView = z
  .object({
    id: TeamId,
    slug: z.string(),
    name: z.string(),
    owner_tenant_id: z.string().meta({ description: 'The organisation' }),
    source: z.enum(['manual', 'scim']).meta({ description: '`scim`: it follows a group of the identity provider' }),
    plan: Plan,
    seats_max: z.int(),
    seats_used: z.int().meta({ description: 'Active members of the organisation and open invitations' }),
    members: z.int(),
    role: RoleName.meta({ description: 'What the caller is in the team' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Team' })

/** The seats of the caller's organisation, as its plan says: no body can name them. */
export async function seatsOf(
  op: Operation,
  { plan }: Pick<Principal, 'plan'>,
): Promise<Pick<z.input<typeof TeamView>, 'plan' | 'seats_max' | 'seats_used'>> {
  return { plan, seats_max: PLANS[plan].seats, seats_used: await seatsUsed(op, op.tenantId, op.now()) }
}

/** A team, field by field. */
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

/** Somebody in a team. */
export const TeamMemberRow = z
  .object({
    member_id: MemberId,
    email: z.string(),
    display_name: z.string().nullable(),
    role: RoleName,
    joined_at: z.iso.datetime(),
  })
  .meta({ id: 'TeamMember' })

/** Somebody in a team, field by field. */
export function presentTeamMember(member: TeamMemberView): z.input<typeof TeamMemberRow> {
  return {
    member_id: member.memberId,
    email: member.email,
    display_name: member.displayName,
    role: member.role,
    joined_at: member.joinedAt.toISOString(),
  }
}
