import { z } from 'zod'
import { changeTeam, deleteTeam } from '../../../db/accounts/teams/change-team.ts'
import { createTeam, requireTeamMaker } from '../../../db/accounts/teams/create-team.ts'
import { listTeams } from '../../../db/accounts/teams/list-teams.ts'
import { requireTeamRole } from '../../../db/accounts/teams/team-access.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { TeamId } from '../../../core/kernel/wire/ids.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { presentTeam, seatsOf } from './team-view.ts'
import {
  ChangeTeamAnswer,
  ChangeTeamBody,
  CreateTeamAnswer,
  CreateTeamBody,
  DeleteTeamAnswer,
  GetTeamAnswer,
  ListTeamsAnswer,
} from '../../../core/accounts/wire/teams/teams.ts'
import { defineRoute } from '../services.ts'

const TeamPath = z.object({ id: TeamId })

const teams = { group: 'teams', auth: 'key' } as const

export const listTeamsRoute = defineRoute({
  ...teams,
  method: 'get',
  path: '/v1/teams',
  operationId: 'listTeams',
  summary: 'List the teams of the caller',
  description: 'Admins and owners of the organisation see all of its teams.',
  scope: 'team:read',
  namespace: 'refused',
  query: pageOf(50),
  answers: { 200: envelope('Teams, newest first', ListTeamsAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, principal, query }) => {
  const [page, seats] = await Promise.all([
    listTeams(op, { ...query, callerId: principal.memberId }),
    seatsOf(op, principal),
  ])
  return {
    status: 200,
    body: {
      teams: page.items.map((team) => presentTeam(team, op.tenantId, seats)),
      next_cursor: page.nextCursor,
    },
  }
})

export const createTeamRoute = defineRoute({
  ...teams,
  method: 'post',
  path: '/v1/teams',
  operationId: 'createTeam',
  summary: 'Create a team',
  description: 'Needs a plan with teams. Plan and seats are the organisation’s; values in the body are ignored.',
  scope: 'team:write',
  namespace: 'refused',
  stores: 'bounded',
  idempotency: 'kernel',
  body: CreateTeamBody,
  answers: { 201: envelope('The team, with the caller as its owner', CreateTeamAnswer) },
  errors: ['plan_upgrade_required', 'forbidden', 'duplicate', 'limit_reached'],
})
  .authorize(async ({ op, principal }) => {
    await requireTeamMaker(op, op, principal.memberId)
  })
  .handle(async ({ services, op, principal, body }) => {
    const callerId = principal.memberId
    const teamId = await createTeam(op, { ...body, callerId, limits: services.limits })
    const team = await requireTeamRole(op, op, { teamId, callerId, role: 'viewer' })
    return { status: 201, body: { team: presentTeam(team, op.tenantId, await seatsOf(op, principal)) } }
  })

export const getTeamRoute = defineRoute({
  ...teams,
  method: 'get',
  path: '/v1/teams/{id}',
  operationId: 'getTeam',
  summary: 'Show a team',
  scope: 'team:read',
  namespace: 'refused',
  params: TeamPath,
  answers: { 200: envelope('The team', GetTeamAnswer) },
  errors: ['not_found', 'forbidden'],
}).handle(async ({ op, principal, params }) => {
  const callerId = principal.memberId
  const team = await requireTeamRole(op, op, { teamId: params.id, callerId, role: 'viewer' })
  return { status: 200, body: { team: presentTeam(team, op.tenantId, await seatsOf(op, principal)) } }
})

export const changeTeamRoute = defineRoute({
  ...teams,
  method: 'patch',
  path: '/v1/teams/{id}',
  operationId: 'changeTeam',
  summary: 'Rename a team',
  scope: 'team:write',
  namespace: 'refused',
  stores: 'bounded',
  params: TeamPath,
  body: ChangeTeamBody,
  answers: { 200: envelope('The team', ChangeTeamAnswer) },
  errors: ['no_fields', 'not_found', 'forbidden', 'duplicate'],
}).handle(async ({ op, principal, params, body }) => {
  const callerId = principal.memberId
  await changeTeam(op, { ...body, teamId: params.id, callerId })
  const team = await requireTeamRole(op, op, { teamId: params.id, callerId, role: 'viewer' })
  return { status: 200, body: { team: presentTeam(team, op.tenantId, await seatsOf(op, principal)) } }
})

export const deleteTeamRoute = defineRoute({
  ...teams,
  method: 'delete',
  path: '/v1/teams/{id}',
  operationId: 'deleteTeam',
  summary: 'Delete a team',
  description:
    'Its members stay in the organisation, and their keys for the team keep working without a team. Its open invitations and shared provider keys are removed.',
  scope: 'team:write',
  namespace: 'refused',
  params: TeamPath,
  answers: { 200: envelope('The team is gone', DeleteTeamAnswer) },
  errors: ['not_found', 'forbidden'],
}).handle(async ({ op, principal, params }) => {
  await deleteTeam(op, { teamId: params.id, callerId: principal.memberId })
  return { status: 200, body: { id: params.id } }
})
