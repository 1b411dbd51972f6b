import { z } from 'zod'
import { MemberId, TenantId } from '../../../kernel/wire/ids.ts'
import { RoleName } from '../roles.ts'
import { MEMBER_SOURCES } from '../../member-sources.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'

/** A member of an organisation. */
export const MemberView = z
  .object({
    id: MemberId,
    email: z.string(),
    display_name: z.string().nullable(),
    role: RoleName,
    state: z.enum(['active', 'deactivated']),
    source: z.enum(MEMBER_SOURCES),
    email_verified: z.boolean(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Member' })

/** Answer of `GET /v1/orgs/{id}/members`. */
export const ListMembersAnswer = z.object({ members: z.array(MemberView), next_cursor: NextCursor })

/** Body of `PATCH /v1/orgs/{id}/members/{member_id}`. */
export const ChangeMemberRoleBody = z.object({ role: RoleName }).meta({ example: { role: 'viewer' } })

/** Answer of `PATCH /v1/orgs/{id}/members/{member_id}`. */
export const ChangeMemberRoleAnswer = z.object({ member_id: MemberId, role: RoleName })

/** Answer of `DELETE /v1/orgs/{id}/members/{member_id}`. */
export const RemoveMemberAnswer = z.object({ member_id: MemberId })

/** Answer of `POST /v1/orgs/{id}/leave`. */
export const LeaveOrgAnswer = z.object({ id: TenantId })

/** Body of `POST /v1/orgs/{id}/transfer-owner`. */
export const TransferOwnerBody = z
  .object({ member_id: z.string().max(100).meta({ description: 'An active member with a verified address' }) })
  .meta({ example: { member_id: 'mbr_0123456789abcdefghjkmnpqrs' } })

/** Answer of `POST /v1/orgs/{id}/transfer-owner`. */
export const TransferOwnerAnswer = z.object({ id: TenantId, owner: MemberId })
