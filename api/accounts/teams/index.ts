import type { Route } from '../services.ts'
import { acceptInviteRoute, getInviteRoute, inviteToTeamRoute, revokeInviteRoute } from './invites.ts'
import { changeTeamRoleRoute, listTeamMembersRoute, removeTeamMemberRoute } from './members.ts'
import { changeTeamRoute, createTeamRoute, deleteTeamRoute, getTeamRoute, listTeamsRoute } from './teams.ts'

/** Teams, who is in them, and invitations. `invites` is no id of a team, so it stands before these. */
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
