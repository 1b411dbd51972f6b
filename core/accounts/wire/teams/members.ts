import { z } from 'zod'
import { TeamMemberRow } from './team-view.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'
import { RoleName } from '../roles.ts'
import { MemberId } from '../../../kernel/wire/ids.ts'

/** Answer of `GET /v1/teams/{id}/members`. */
export const ListTeamMembersAnswer = z.object({ members: z.array(TeamMemberRow), next_cursor: NextCursor })

/** Body of `PATCH /v1/teams/{id}/members/{member_id}`. */
export const ChangeTeamRoleBody = z.object({ role: RoleName }).meta({ example: { role: 'viewer' } })

/** Answer of `PATCH /v1/teams/{id}/members/{member_id}`. */
export const ChangeTeamRoleAnswer = z.object({ member_id: MemberId, role: RoleName })

/** Answer of `DELETE /v1/teams/{id}/members/{member_id}`. */
export const RemoveTeamMemberAnswer = z.object({ member_id: MemberId })
