import { z } from 'zod'
import { acceptInvitation } from '../../../db/accounts/invitations/accept-invitation.ts'
import { findInvitationOfToken } from '../../../db/accounts/across/invitation-of-token.ts'
import { revokeInvitation } from '../../../db/accounts/invitations/revoke-invitation.ts'
import { requireTeamRole } from '../../../db/accounts/teams/team-access.ts'
import { sessionCookie } from '../../kernel/cookies.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { InvitationId, TeamId } from '../../../core/kernel/wire/ids.ts'
import { deviceOf } from '../identity/device.ts'
import { INVITE_ERRORS, INVITE_LIMIT, invitedAnswer, invitePeople } from './invite-people.ts'
import { Invitee } from '../../../core/accounts/wire/teams/invitee.ts'
import { AcceptInviteAnswer, GetInviteAnswer, RevokeInviteAnswer } from '../../../core/accounts/wire/teams/invites.ts'
import { defineRoute } from '../services.ts'

/** The mailed token and the id have one name, since they are in the same place of the path. */
const TokenPath = z.object({
  invitation: z
    .string()
    .max(100)
    .meta({ description: 'The token of the mail', example: 'A'.repeat(43) }),
})

/** Limits the work that guesses cause; a token has 256 bits. */
const TOKEN_LIMIT = { name: 'invite_tokens', limit: 'invites_per_ip_15min', windowS: 900, counts: 'calls' } as const

export const inviteToTeamRoute = defineRoute({
  method: 'post',
  path: '/v1/teams/{id}/invite',
  operationId: 'inviteToTeam',
  group: 'teams',
  summary: 'Invite a person to a team',
  description:
    'A member of the organisation joins the team immediately; admins of the team can add one. For a new person, whom only an admin of the organisation can invite, it reserves a seat and mails a link that is valid for 14 days.',
  auth: 'key',
  scope: 'team:write',
  namespace: 'refused',
  stores: 'bounded',
  limit: INVITE_LIMIT,
  idempotency: 'kernel',
  params: z.object({ id: TeamId }),
  body: Invitee,
  answers: { 201: invitedAnswer },
  errors: [...INVITE_ERRORS, 'plan_upgrade_required'],
})
  .authorize(async ({ op, principal, params }) => {
    await requireTeamRole(op, op, { teamId: params.id, callerId: principal.memberId, role: 'admin' })
  })
  .handle(async (call) => ({ status: 201, body: await invitePeople(call, { ...call.body, teamId: call.params.id }) }))

export const revokeInviteRoute = defineRoute({
  method: 'delete',
  path: '/v1/teams/invites/{invitation}',
  operationId: 'revokeInvite',
  group: 'teams',
  summary: 'Revoke an invitation',
  description:
    'By its id. An accepted or expired invitation does not change. An invitation to a team needs an admin of the team, one to the organisation an admin with the scope `team:admin`.',
  auth: 'key',
  scope: 'team:write',
  namespace: 'refused',
  params: z.object({ invitation: InvitationId }),
  answers: { 200: envelope('It is not open any more', RevokeInviteAnswer) },
  errors: ['not_found', 'forbidden'],
}).handle(async ({ op, principal, params }) => {
  await revokeInvitation(op, { invitationId: params.invitation, callerId: principal.memberId })
  return { status: 200, body: { id: params.invitation } }
})

export const getInviteRoute = defineRoute({
  method: 'get',
  path: '/v1/teams/invites/{invitation}',
  operationId: 'getInvite',
  group: 'teams',
  summary: 'Show an invitation',
  description: 'By the token of its mail. Reading it does not consume the token.',
  auth: 'public',
  scope: undefined,
  limit: TOKEN_LIMIT,
  params: TokenPath,
  answers: {
    200: envelope('The open invitation', GetInviteAnswer),
  },
  errors: ['not_found', 'invitation_expired'],
}).handle(async ({ services, params }) => {
  const found = await findInvitationOfToken(services.db, { token: params.invitation, now: services.now() })
  return {
    status: 200,
    body: {
      org: { id: found.tenantId, name: found.org },
      team: found.teamId === null ? null : { id: found.teamId, name: found.team ?? '' },
      email: found.email,
      role: found.role,
      expires_at: found.expiresAt.toISOString(),
    },
    headers: { 'Cache-Control': 'no-store' },
  }
})

export const acceptInviteRoute = defineRoute({
  method: 'post',
  path: '/v1/teams/invites/{invitation}/accept',
  operationId: 'acceptInvite',
  group: 'teams',
  summary: 'Accept an invitation',
  description:
    'By the token of its mail, which proves the address. Works once. Opens a browser session in the organisation, with the rights of the role.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  setsCookie: true,
  limit: TOKEN_LIMIT,
  params: TokenPath,
  answers: {
    200: envelope('The membership; the session is in the cookie', AcceptInviteAnswer),
  },
  errors: ['not_found', 'invitation_expired', 'seat_limit', 'duplicate'],
}).handle(async (call) => {
  const { services, requestId, params } = call
  const accepted = await acceptInvitation(services.db, {
    token: params.invitation,
    requestId,
    now: services.now,
    ...deviceOf(call),
    limits: services.limits,
  })
  return {
    status: 200,
    body: {
      org: { id: accepted.tenantId, name: accepted.org },
      team_id: accepted.teamId,
      member: { id: accepted.memberId, email: accepted.email },
    },
    headers: {
      'Set-Cookie': sessionCookie(accepted.sessionToken, services.limits.session_days * 86_400, services.settings),
    },
  }
})
