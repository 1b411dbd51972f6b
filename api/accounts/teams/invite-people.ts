import type { z } from 'zod'
import type { Role } from '../../../core/accounts/roles.ts'
import { createInvitation } from '../../../db/accounts/invitations/create-invitation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { normalizeEmail } from '../../../db/accounts/tenants/verification/email-address.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { InvitedAnswer } from '../../../core/accounts/wire/teams/invitee.ts'
import type { ErrorCode } from '../../../core/accounts/errors.ts'
import type { AccountsServices } from '../services.ts'

/** Limit of invitations sent from one address. */
export const INVITE_LIMIT = {
  name: 'invites',
  limit: 'invites_per_ip_15min',
  windowS: 900,
  counts: 'calls',
} as const

/** Errors of an invitation, beside those of its organisation or team. */
export const INVITE_ERRORS = [
  'forbidden',
  'not_found',
  'seat_limit',
  'duplicate',
  'mail_not_configured',
] as const satisfies readonly ErrorCode[]

/** The result: a mail is being sent, or a member of the organisation joined the team. */
export const invitedAnswer = envelope(
  'The invitation; or the member, for an address of an existing member of the organisation',
  InvitedAnswer,
)

/** Invites a person into the organisation or a team. Throws the errors of `createInvitation`. */
export async function invitePeople(
  call: { readonly services: AccountsServices; readonly op: Operation; readonly principal: Principal },
  input: { readonly teamId: string | null; readonly email: string; readonly role: Role },
): Promise<z.input<typeof invitedAnswer.schema>> {
  const { services, op, principal } = call
  const email = normalizeEmail(input.email)
  const created = await createInvitation(op, {
    ...input,
    email,
    callerId: principal.memberId,
    linkOf: services.settings.isMailConfigured ? (token) => `${services.publicUrl()}/#invitation=${token}` : null,
    limits: services.limits,
  })
  if (created.kind === 'joined') return { invitation: null, member_id: created.memberId }
  const { invitationId, expiresAt } = created
  return {
    invitation: { id: invitationId, email, role: input.role, expires_at: expiresAt.toISOString() },
    member_id: null,
  }
}
