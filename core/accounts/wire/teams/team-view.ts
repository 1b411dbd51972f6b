import { z } from 'zod'
import { MemberId, TeamId } from '../../../kernel/wire/ids.ts'
import { Plan } from '../../../kernel/wire/tenant.ts'
import { RoleName } from '../roles.ts'

/** A team as its members see it. Plan and seats are the organisation's. */
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
    role: RoleName.meta({ description: 'The caller’s role in the team' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Team' })

/** A member of a team. */
export const TeamMemberRow = z
  .object({
    member_id: MemberId,
    email: z.string(),
    display_name: z.string().nullable(),
    role: RoleName,
    joined_at: z.iso.datetime(),
  })
  .meta({ id: 'TeamMember' })
