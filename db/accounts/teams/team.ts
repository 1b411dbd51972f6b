import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { ROLES } from '../../../core/accounts/roles.ts'
import { instant } from '../../kernel/tables/columns.ts'
import { MemberEntity } from '../members/member.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A part of a tenant's members, for keys, provider keys and usage of its own. */
export const TeamEntity = defineTable({
  name: 'Team',
  tableName: 'teams',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    slug: p.text(),
    name: p.text(),
    /** Made by hand, or a group of the customer's identity provider. */
    source: p.enum(['manual', 'scim'] as const),
    externalId: p.text().nullable(),
    createdAt: instant(),
    updatedAt: instant(),
    /** When a member left last who may still know its provider keys. */
    memberRemovedAt: instant().nullable(),
  },
  uniques: [{ properties: ['tenantId', 'slug'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace has none' },
    purge: 'goes',
    export: {
      section: 'teams',
      key: ['slug'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        slug: true,
        name: true,
        source: true,
        externalId: true,
        createdAt: true,
        updatedAt: true,
        memberRemovedAt: true,
      },
    },
  },
})

/** A member's place and role in a team. */
export const TeamMemberEntity = defineTable({
  name: 'TeamMember',
  tableName: 'team_members',
  properties: {
    teamId: () => p.manyToOne(TeamEntity).mapToPk().fieldName('team_id').primary().deleteRule('cascade'),
    memberId: () => p.manyToOne(MemberEntity).mapToPk().fieldName('member_id').primary().deleteRule('no action'),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    role: p.enum(ROLES),
    createdAt: instant(),
  },
  indexes: [{ properties: ['memberId'] }, { properties: ['tenantId'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace has none' },
    purge: 'goes',
    export: {
      section: 'team_members',
      key: ['teamId', 'memberId'],
      columns: {
        teamId: true,
        memberId: true,
        tenantId: 'the document is of one tenant',
        role: true,
        createdAt: true,
      },
    },
  },
})
