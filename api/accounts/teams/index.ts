import type { Route } from '../services.ts'
import { acceptInviteRoute, getInviteRoute, inviteToTeamRoute, revokeInviteRoute } from './invites.ts'
import { changeTeamRoleRoute, listTeamMembersRoute, removeTeamMemberRoute } from './members.ts'
import { changeTeamRoute, createTeamRoute, deleteTeamRoute, getTeamRoute, listTeamsRoute } from './teams.ts'

/** The routes of teams, members and invitations. Paths with `invites` come before those with a team's id. */
export const TEAM_ROUTES: readonly Route[] = [
  listTeamsRoute,
  createTeamRoute,
  getInviteRoute,
  revokeInviteRoute,
  acceptInviteRoute,
  getTeamRoute,
  changeTeamRoute,
  deleteTeamRoute,
  listTeamMembersRoute,
  changeTeamRoleRoute,
  removeTeamMemberRoute,
  inviteToTeamRoute,
]
