import { z } from 'zod'
import { InvitationId, MemberId, TeamId } from '../../../kernel/wire/ids.ts'
import { RoleName } from '../roles.ts'

/** Answer of `DELETE /v1/teams/invites/{invitation}`. */
export const RevokeInviteAnswer = z.object({ id: InvitationId })

/** Answer of `GET /v1/teams/invites/{invitation}`. */
export const GetInviteAnswer = z.object({
  org: z.object({ id: z.string(), name: z.string() }),
  team: z.object({ id: TeamId, name: z.string() }).nullable(),
  email: z.string(),
  role: RoleName,
  expires_at: z.iso.datetime(),
})

/** Answer of `POST /v1/teams/invites/{invitation}/accept`. */
export const AcceptInviteAnswer = z.object({
  org: z.object({ id: z.string(), name: z.string() }),
  team_id: TeamId.nullable(),
  member: z.object({ id: MemberId, email: z.string() }),
})
