import type { z } from 'zod'
import { listInvitations, type InvitationView } from '../../../db/accounts/invitations/list-invitations.ts'
import { requireOrgRole } from '../../../db/accounts/orgs/org-access.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { INVITE_ERRORS, INVITE_LIMIT, invitedAnswer, invitePeople } from '../teams/invite-people.ts'
import { Invitee } from '../../../core/accounts/wire/teams/invitee.ts'
import { OrgPath } from './orgs.ts'
import { type InvitationRow, ListOrgInvitesAnswer } from '../../../core/accounts/wire/orgs/invites.ts'
import { defineRoute } from '../services.ts'

function presentInvitation(invitation: InvitationView): z.input<typeof InvitationRow> {
  return {
    id: invitation.id,
    team_id: invitation.teamId,
    email: invitation.email,
    role: invitation.role,
    state: invitation.state,
    invited_by: invitation.invitedBy,
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
  }
}

export const listOrgInvitesRoute = defineRoute({
  method: 'get',
  path: '/v1/orgs/{id}/invites',
  operationId: 'listOrgInvites',
  group: 'orgs',
  summary: 'List the invitations to the organisation and its teams',
  auth: 'key',
  scope: 'team:admin',
  namespace: 'refused',
  params: OrgPath,
  query: pageOf(50),
  answers: {
    200: envelope('Invitations, newest first', ListOrgInvitesAnswer),
  },
  errors: ['not_found', 'forbidden', 'invalid_cursor'],
}).handle(async ({ op, principal, params, query }) => {
  const page = await listInvitations(op, { ...query, orgId: params.id, callerId: principal.memberId })
  return { status: 200, body: { invitations: page.items.map(presentInvitation), next_cursor: page.nextCursor } }
})

export const inviteToOrgRoute = defineRoute({
  method: 'post',
  path: '/v1/orgs/{id}/invites',
  operationId: 'inviteToOrg',
  group: 'orgs',
  summary: 'Invite a person to the organisation',
  description:
    'Reserves a seat and mails a link that is valid for 14 days. A member who was removed returns under the same id.',
  auth: 'key',
  scope: 'team:admin',
  namespace: 'refused',
  stores: 'bounded',
  limit: INVITE_LIMIT,
  idempotency: 'kernel',
  params: OrgPath,
  body: Invitee,
  answers: { 201: invitedAnswer },
  errors: [...INVITE_ERRORS],
})
  .authorize(async ({ op, principal, params }) => {
    await requireOrgRole(op, op, { orgId: params.id, callerId: principal.memberId, role: 'admin' })
  })
  .handle(async (call) => ({ status: 201, body: await invitePeople(call, { ...call.body, teamId: null }) }))
