import { z } from 'zod'
import { changeMemberRole, leaveOrg, removeMember } from '../../../db/accounts/members/change-role.ts'
import { listMembers, type MemberSummary } from '../../../db/accounts/members/list-members.ts'
import { transferOwnership } from '../../../db/accounts/members/transfer-ownership.ts'
import { clearSessionCookie } from '../../kernel/cookies.ts'
import { forgetCredential } from '../../kernel/guard/forget.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { MemberId, TenantId } from '../../../core/kernel/wire/ids.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { OrgPath } from './orgs.ts'
import {
  ChangeMemberRoleAnswer,
  ChangeMemberRoleBody,
  LeaveOrgAnswer,
  ListMembersAnswer,
  type MemberView,
  RemoveMemberAnswer,
  TransferOwnerAnswer,
  TransferOwnerBody,
} from '../../../core/accounts/wire/orgs/members.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { defineRoute } from '../services.ts'

const MemberPath = z.object({ id: TenantId, member_id: MemberId })

function presentMember(member: MemberSummary): z.input<typeof MemberView> {
  return {
    id: member.id,
    email: member.email,
    display_name: member.displayName,
    role: member.role,
    state: member.state,
    source: member.source,
    email_verified: member.isEmailVerified,
    created_at: member.createdAt.toISOString(),
  }
}

const members = { group: 'orgs', auth: 'key' } as const

export const listMembersRoute = defineRoute({
  ...members,
  method: 'get',
  path: '/v1/orgs/{id}/members',
  operationId: 'listMembers',
  summary: 'List the members of the organisation',
  scope: 'team:read',
  namespace: 'refused',
  params: OrgPath,
  query: pageOf(50),
  answers: { 200: envelope('Members, newest first', ListMembersAnswer) },
  errors: ['not_found', 'forbidden', 'invalid_cursor'],
}).handle(async ({ op, principal, params, query }) => {
  const page = await listMembers(op, { ...query, orgId: params.id, callerId: principal.memberId })
  return { status: 200, body: { members: page.items.map(presentMember), next_cursor: page.nextCursor } }
})

export const changeMemberRoleRoute = defineRoute({
  ...members,
  method: 'patch',
  path: '/v1/orgs/{id}/members/{member_id}',
  operationId: 'changeMemberRole',
  summary: 'Change the role of a member',
  description:
    'At most the caller’s own role. A lower role immediately revokes keys of the member that have more permissions than it. Use transfer-owner to change the owner.',
  scope: 'team:admin',
  namespace: 'refused',
  stores: 'bounded',
  params: MemberPath,
  body: ChangeMemberRoleBody,
  answers: { 200: envelope('The role', ChangeMemberRoleAnswer) },
  errors: ['not_found', 'forbidden', 'last_owner'],
}).handle(async ({ services, op, principal, params, body }) => {
  await changeMemberRole(op, {
    orgId: params.id,
    memberId: params.member_id,
    callerId: principal.memberId,
    role: body.role,
  })
  forgetCredential(services, params.member_id)
  return { status: 200, body: { member_id: params.member_id, role: body.role } }
})

export const removeMemberRoute = defineRoute({
  ...members,
  method: 'delete',
  path: '/v1/orgs/{id}/members/{member_id}',
  operationId: 'removeMember',
  summary: 'Remove a member from the organisation',
  description: 'The member’s sessions and keys end immediately, and the seat becomes free. Their work stays.',
  scope: 'team:admin',
  namespace: 'refused',
  params: MemberPath,
  answers: { 200: envelope('The member was removed', RemoveMemberAnswer) },
  errors: ['not_found', 'forbidden', 'last_owner'],
}).handle(async ({ services, op, principal, params }) => {
  await removeMember(op, { orgId: params.id, memberId: params.member_id, callerId: principal.memberId })
  forgetCredential(services, params.member_id)
  return { status: 200, body: { member_id: params.member_id } }
})

export const leaveOrgRoute = defineRoute({
  ...members,
  method: 'post',
  path: '/v1/orgs/{id}/leave',
  operationId: 'leaveOrg',
  summary: 'Leave the organisation',
  description:
    'Ends all sessions and keys of the caller. Scoped keys cannot call it; an owner transfers the organisation first.',
  scope: 'team:read',
  namespace: 'refused',
  stores: 'bounded',
  setsCookie: true,
  params: OrgPath,
  answers: { 200: envelope('The caller has left', LeaveOrgAnswer) },
  errors: ['not_found', 'forbidden', 'last_owner'],
}).handle(async ({ services, op, principal, params }) => {
  if (principal.kind === 'scoped') throw ACCOUNTS_ERRORS.forbidden('a scoped key cannot leave an organisation')
  await leaveOrg(op, { orgId: params.id, callerId: principal.memberId })
  if (principal.memberId !== null) forgetCredential(services, principal.memberId)
  return {
    status: 200,
    body: { id: params.id },
    ...(principal.sessionId !== undefined && { headers: { 'Set-Cookie': clearSessionCookie(services.settings) } }),
  }
})

export const transferOwnerRoute = defineRoute({
  ...members,
  method: 'post',
  path: '/v1/orgs/{id}/transfer-owner',
  operationId: 'transferOwner',
  summary: 'Make another member the owner',
  description:
    'Only the owner can do this, and becomes an admin. The new owner’s address becomes the address of the account, so that key resets are mailed there. The primary key and the sessions that it opened end, since the previous owner knows the key. Create another with rotate-key.',
  scope: 'team:admin',
  namespace: 'refused',
  stores: 'bounded',
  params: OrgPath,
  body: TransferOwnerBody,
  answers: { 200: envelope('The new owner', TransferOwnerAnswer) },
  errors: ['not_found', 'forbidden', 'email_exists'],
}).handle(async ({ services, op, principal, params, body }) => {
  if (principal.kind === 'scoped') throw ACCOUNTS_ERRORS.forbidden('a scoped key cannot transfer the organisation')
  await transferOwnership(op, { orgId: params.id, callerId: principal.memberId, memberId: body.member_id })
  for (const memberId of [principal.memberId, body.member_id]) {
    if (memberId !== null) forgetCredential(services, memberId)
  }
  return { status: 200, body: { id: params.id, owner: body.member_id } }
})
