import { z } from 'zod'
import { InvitationId, MemberId, TeamId } from '../../../kernel/wire/ids.ts'
import { RoleName } from '../roles.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'

/** An open invitation in a list. */
export const InvitationRow = z
  .object({
    id: InvitationId,
    team_id: TeamId.nullable(),
    email: z.string(),
    role: RoleName,
    state: z.enum(['open', 'accepted', 'revoked', 'expired']),
    invited_by: MemberId.nullable(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Invitation' })

/** Answer of `GET /v1/orgs/{id}/invites`. */
export const ListOrgInvitesAnswer = z.object({ invitations: z.array(InvitationRow), next_cursor: NextCursor })
