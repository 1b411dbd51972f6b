import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { ROLES } from '../../../core/accounts/roles.ts'
import { bytes, instant } from '../../kernel/tables/columns.ts'
import { TeamEntity } from '../teams/team.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** An address invited into a tenant, and into a team when it names one. An open one holds a seat. */
export const InvitationEntity = defineTable({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    teamId: () => p.manyToOne(TeamEntity).mapToPk().fieldName('team_id').nullable().deleteRule('cascade'),
    email: p.text(),
    role: p.enum(ROLES),
    /** SHA-256 of the mailed token, which has 256 random bits. */
    tokenHash: bytes().unique(),
    /** Member that sent the invitation. */
    invitedBy: p.text().nullable(),
    createdAt: instant(),
    expiresAt: instant(),
    acceptedAt: instant().nullable(),
    /** Member that accepted it. */
    acceptedBy: p.text().nullable(),
    revokedAt: instant().nullable(),
  },
  indexes: [{ name: 'invitations_newest', properties: ['tenantId', 'createdAt', 'id'] }, { properties: ['teamId'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace has none' },
    purge: 'goes',
    export: {
      section: 'invitations',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        teamId: true,
        email: true,
        role: true,
        tokenHash: 'what the invitation is checked by',
        invitedBy: true,
        createdAt: true,
        expiresAt: true,
        acceptedAt: true,
        acceptedBy: true,
        revokedAt: true,
      },
    },
    sweeps: { none: 'seats bound the open ones, `invites_per_ip_15min` the rest' },
  },
})
