import { z } from 'zod'
import { Email } from '../email.ts'
import { RoleName } from '../roles.ts'
import { InvitationId, MemberId } from '../../../kernel/wire/ids.ts'

/** The person to invite. */
export const Invitee = z
  .object({ email: Email, role: RoleName.default('member') })
  .meta({ id: 'Invitee', example: { email: 'ada@example.com', role: 'member' } })

/** Answer of an invitation. */
export const InvitedAnswer = z.object({
  invitation: z
    .object({ id: InvitationId, email: z.string(), role: RoleName, expires_at: z.iso.datetime() })
    .nullable()
    .meta({ description: 'Its token is in the mail and nowhere else' }),
  member_id: MemberId.nullable(),
})
