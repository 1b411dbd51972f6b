import { z } from 'zod'
import { listTeamMembers } from '../../../db/accounts/teams/list-teams.ts'
import { changeTeamRole, removeTeamMember } from '../../../db/accounts/teams/team-members.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { MemberId, TeamId } from '../../../core/kernel/wire/ids.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { presentTeamMember } from './team-view.ts'
import {
  ChangeTeamRoleAnswer,
  ChangeTeamRoleBody,
  ListTeamMembersAnswer,
  RemoveTeamMemberAnswer,
} from '../../../core/accounts/wire/teams/members.ts'
import { defineRoute } from '../services.ts'

const MemberPath = z.object({ id: TeamId, member_id: MemberId })

const members = { group: 'teams', auth: 'key' } as const

export const listTeamMembersRoute = defineRoute({
  ...members,
  method: 'get',
  path: '/v1/teams/{id}/members',
  operationId: 'listTeamMembers',
  summary: 'List the members of a team',
  scope: 'team:read',
  namespace: 'refused',
  params: z.object({ id: TeamId }),
  query: pageOf(50),
  answers: { 200: envelope('Members, newest first', ListTeamMembersAnswer) },
  errors: ['not_found', 'forbidden', 'invalid_cursor'],
}).handle(async ({ op, principal, params, query }) => {
  const page = await listTeamMembers(op, { ...query, teamId: params.id, callerId: principal.memberId })
  return { status: 200, body: { members: page.items.map(presentTeamMember), next_cursor: page.nextCursor } }
})

export const changeTeamRoleRoute = defineRoute({
  ...members,
  method: 'patch',
  path: '/v1/teams/{id}/members/{member_id}',
  operationId: 'changeTeamRole',
  summary: 'Change the role of a member in a team',
  description:
    'For admins of the team. Callers can grant only roles up to their own and change only members whose role is not above theirs. A team keeps an owner.',
  scope: 'team:write',
  namespace: 'refused',
  stores: 'bounded',
  params: MemberPath,
  body: ChangeTeamRoleBody,
  answers: { 200: envelope('The role', ChangeTeamRoleAnswer) },
  errors: ['not_found', 'forbidden', 'last_owner'],
}).handle(async ({ op, principal, params, body }) => {
  await changeTeamRole(op, {
    teamId: params.id,
    memberId: params.member_id,
    callerId: principal.memberId,
    role: body.role,
  })
  return { status: 200, body: { member_id: params.member_id, role: body.role } }
})

export const removeTeamMemberRoute = defineRoute({
  ...members,
  method: 'delete',
  path: '/v1/teams/{id}/members/{member_id}',
  operationId: 'removeTeamMember',
  summary: 'Remove a member from a team',
  description:
    'For admins of the team, and for the member themselves. The member stays in the organisation, and their keys for the team keep working without a team. Rotate the provider keys that the team shares afterwards.',
  scope: 'team:write',
  namespace: 'refused',
  params: MemberPath,
  answers: { 200: envelope('The member is out of the team', RemoveTeamMemberAnswer) },
  errors: ['not_found', 'forbidden', 'last_owner'],
}).handle(async ({ op, principal, params }) => {
  await removeTeamMember(op, { teamId: params.id, memberId: params.member_id, callerId: principal.memberId })
  return { status: 200, body: { member_id: params.member_id } }
})
