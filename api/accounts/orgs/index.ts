import type { Route } from '../services.ts'
import { listOrgAuditRoute } from './audit.ts'
import { inviteToOrgRoute, listOrgInvitesRoute } from './invites.ts'
import {
  changeMemberRoleRoute,
  leaveOrgRoute,
  listMembersRoute,
  removeMemberRoute,
  transferOwnerRoute,
} from './members.ts'
import { changeOrgRoute, getOrgRoute, listOrgsRoute } from './orgs.ts'

/** Organisations: tenants, seen as their members. */
export const ORG_ROUTES: readonly Route[] = [
  listOrgsRoute,
  getOrgRoute,
  changeOrgRoute,
  listMembersRoute,
  changeMemberRoleRoute,
  removeMemberRoute,
  listOrgInvitesRoute,
  inviteToOrgRoute,
  listOrgAuditRoute,
  leaveOrgRoute,
  transferOwnerRoute,
]
